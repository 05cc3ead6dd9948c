#include "Failures/Scenarios.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/Merge.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Formats/EventFormats.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Weights.h"
#include "Core/Pictures/RecordingPicture.h"
#include "Core/Training/Network/ModelMetadata.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Run/TrainingRun.h"
#include "Support/AudioMaker.h"
#include "Support/TorchMaker.h"
#include "Support/TrainingTools.h"

#include <array>
#include <chrono>
#include <cstring>

namespace earshot::faults {

namespace {

namespace fs = std::filesystem;
namespace pickled = test::pickled;

const std::vector<std::string> labels = {"Low", "Middle", "High"};

// 16 bands at 8 kHz, 3 classes, windows of 2.56 s.
void writeSmallModel(const fs::path& file) {
    const training::ParameterLayout layout(test::tinyTrainingConfig());
    const training::BandStatistics statistics{std::vector<float>(16, -52.0f), std::vector<float>(16, 120.0f)};
    const std::vector<float> thresholds = {0.015f, 0.02f, 0.025f};
    training::writeModel(file, layout, training::initialParameters(layout, 1), statistics,
                         training::Storage::float16,
                         {{"earshot.labels", training::labelMetadata(labels)},
                          {"earshot.thresholds", training::thresholdMetadata(thresholds)},
                          {"earshot.licence", "CC0-1.0"}});
}

// The same as PyTorch would save it.
void writeTorchModel(const fs::path& file) {
    writeSmallModel("model.safetensors");
    const auto checkpoint = model::Checkpoint::open("model.safetensors");
    std::vector<std::pair<std::string, std::string>> tensors, storages;
    for (const auto& [name, info] : checkpoint->tensors()) {
        const auto values = checkpoint->read(name);
        std::string bytes(values.size() * sizeof(float), '\0');
        std::memcpy(bytes.data(), values.values().data(), bytes.size());
        std::vector<std::int64_t> shape(info.shape.begin(), info.shape.end()), strides(shape.size(), 1);
        for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
        const auto key = std::to_string(storages.size());
        const auto storage = pickled::storage("FloatStorage", key, static_cast<std::int64_t>(values.size()));
        tensors.emplace_back(name, pickled::tensor(storage, 0, shape, strides));
        storages.emplace_back(key, std::move(bytes));
    }
    const auto state = pickled::dictionary(tensors);
    test::writeBytes(file, test::torchFile(pickled::document(pickled::dictionary(
                                               {{"state_dict", state}, {"epoch", pickled::integer(3)}})),
                                           storages));
    fs::remove("model.safetensors");
}

Found readModel(const fs::path& file) {
    Found found;
    const auto weights = model::loadWeights(file);
    found.text = weights->format() + weights->kind() + std::to_string(weights->parameterCount());
    const auto names =
        detection::Labels::read(weights->metadata(), weights->file(), weights->config().classes);
    for (const auto& name : names.names()) found.text += name;
    const auto network = detection::makeNetworkTokenModel(weights);
    const detection::Analyzer analyzer(detection::makeNetworkTokenModel(weights),
                                       detection::logMelSettings(*weights), {});
    return found;
}

void makeRecording(const fs::path& file, test::AudioFormat format, int rate, std::uint32_t seed) {
    fs::create_directories(file.parent_path());
    auto samples = test::noise(static_cast<std::size_t>(rate / 2), seed);
    std::fill_n(samples.begin(), samples.size() / 3, 0.0f);
    test::writeAudio(file, format, rate, 1, samples);
}

detection::Detector detectorOf(const std::shared_ptr<const model::Weights>& weights) {
    detection::Detector how;
    how.makeAnalyzer = [weights](int threads) {
        return std::make_unique<detection::Analyzer>(
            detection::makeNetworkTokenModel(weights), detection::logMelSettings(*weights),
            detection::AnalyzerSettings{.mode = detection::Mode::repeat, .threads = threads});
    };
    how.modelRate = weights->config().sampleRate;
    how.how.events.rule.on = 0.012f;
    how.how.events.rule.off = 0.01f;
    how.labels = labels;
    how.minHz = 50.0;
    how.maxHz = 4000.0;
    return how;
}

Found analyseFile() {
    Found found;
    const auto how = detectorOf(model::loadWeights("model.safetensors"));
    const auto analyzer = how.makeAnalyzer(1);
    audio::AudioFile audio("in/a.flac");
    const auto result = detection::analyzeRecording(audio, *analyzer, how.modelRate, how.question(true));
    if (result.summary.failure) found.failures.push_back(*result.summary.failure);
    const auto events = detection::recordingEvents({.file = "in/a.flac",
                                                    .sampleRate = audio.sampleRate(),
                                                    .channels = audio.channels(),
                                                    .minHz = how.minHz,
                                                    .maxHz = how.maxHz},
                                                   result, how.labels);
    for (const auto& format : formats::allFormats()) {
        const auto document = format.makeDocument({});
        found.text += document->begin();
        found.text += document->add(events);
        found.text += document->end();
    }
    return found;
}

class PictureWriter : public batch::OutputWriter {
  public:
    explicit PictureWriter(WholeFile& file)
        : file_(file)
        , picture_(frontend()) {}

    detection::ColumnObserver* observer() override { return &picture_; }
    void finish(const formats::RecordingEvents& recording) override {
        std::vector<detection::Event> events;
        for (const auto& event : recording.events)
            events.push_back({event.classIndex, event.onset, event.offset, event.peak, event.mean});
        file_.write(picture_.svg(
            {.recording = recording.file, .model = "model", .labels = labels, .shown = {}}, events));
    }

  private:
    static frontend::LogMelSettings frontend() {
        frontend::LogMelSettings settings;
        settings.sampleRate = 8000;
        settings.fftSize = 256;
        settings.hopSize = 80;
        settings.melBands = 16;
        settings.highHz = 4000;
        return settings;
    }

    WholeFile& file_;
    pictures::RecordingPicture picture_;
};

class PictureKind : public batch::OutputKind {
  public:
    std::string suffix() const override { return ".svg"; }
    bool needsAudio() const override { return true; }
    std::unique_ptr<batch::OutputWriter> write(WholeFile& file) const override {
        return std::make_unique<PictureWriter>(file);
    }
};

batch::BatchRequest requestFor(const std::vector<std::string>& arguments) {
    batch::BatchRequest request;
    request.folder = "out";
    request.inputs = batch::findInputs(arguments);
    request.fingerprint = {{"threshold", "0.012"}, {"model", "model.safetensors"}};
    detection::ActivationInfo info;
    info.labels = labels;
    info.model = "model.safetensors";
    request.outputs = {
        batch::documentKind(*formats::formatNamed("csv")), batch::documentKind(*formats::formatNamed("json")),
        batch::activationOutput(detection::ActivationKind::safetensors, info),
        batch::activationOutput(detection::ActivationKind::npy, info), std::make_shared<PictureKind>()};
    request.joined = {"csv", "json", "sqlite"};
    request.model = {.file = "model.safetensors", .sha256 = "s", .licence = "l", .labels = labels};
    request.jobs = 1;
    request.threads = 1;
    return request;
}

Found runBatch(const batch::BatchRequest& request) {
    Found found;
    const auto how = detectorOf(model::loadWeights("model.safetensors"));
    batch::Batch work(request);
    const auto summary = work.run(how, {});
    for (const auto& failure : summary.failures)
        found.failures.push_back(failure.name + ": " + failure.message);
    for (const auto& warning : summary.warnings) found.failures.push_back(warning);
    found.text = std::to_string(summary.done);
    return found;
}

void prepareArchive() {
    writeSmallModel("model.safetensors");
    makeRecording("in/a.wav", test::AudioFormat::wavPcm16, 8000, 1);
    makeRecording("in/deep/b.flac", test::AudioFormat::flacPcm16, 16000, 2);
    makeRecording("in/c.wav", test::AudioFormat::wavFloat, 8000, 3);
    test::writeBytes("in/list.wav", "a shopping list");
}

// Two recordings are done; one of them has changed since, and two are new.
void prepareHalfABatch() {
    prepareArchive();
    runBatch(requestFor({"in/a.wav", "in/deep/b.flac"}));
    makeRecording("in/a.wav", test::AudioFormat::wavPcm16, 8000, 4);
    fs::last_write_time("in/a.wav", fs::last_write_time("in/a.wav") + std::chrono::seconds(5));
}

void prepareShards() {
    prepareArchive();
    for (const int index : {0, 1}) {
        auto request = requestFor({"in"});
        request.shard = batch::Shard{index, 2};
        runBatch(request);
    }
}

Found mergeFolders() {
    Found found;
    const auto summary = batch::mergeShards(batch::shardFoldersIn("out"), "out");
    for (const auto& failure : summary.failures)
        found.failures.push_back(failure.name + ": " + failure.message);
    found.text = std::to_string(summary.recordings);
    return found;
}

// Two classes that are told apart at once, a file that is no good, and what an older training has left.
void prepareSounds() {
    writeSmallModel("from.safetensors");
    double hertz = 400.0;
    for (const char* name : {"Low", "High"}) {
        fs::create_directories(fs::path("sounds") / name);
        for (int i = 0; i < 5; ++i)
            test::writeAudio(fs::path("sounds") / name / (std::to_string(i) + ".wav"),
                             test::AudioFormat::wavPcm16, 8000, 1,
                             test::sine(hertz * (1.0 + 0.05 * i), 0.3, 8000));
        hertz *= 4.0;
    }
    test::writeBytes("sounds/Low/list.wav", "a shopping list");
    for (const char* name : {"new.safetensors", "new.csv", "new.svg", "new.md", "new.training.safetensors"})
        test::writeBytes(name, "of an older training");
}

Found trainHead() {
    training::RunSettings settings;
    settings.data.sources = {"sounds"};
    settings.data.minClips = 2;
    settings.output = "new.safetensors";
    settings.overwrite = true;
    settings.from = "from.safetensors";
    settings.freezeEncoder = true;
    settings.epochs = 2;
    settings.scenesPerEpoch = 4;
    settings.validScenes = 1;
    settings.trainer.threads = 1;
    settings.trainer.batch = 2;
    settings.trainer.microBatch = 2;
    settings.licence = "CC0-1.0";
    settings.commandLine = "earshot train";
    Found found;
    training::RunObserver observer;
    observer.note = [&](const std::string& line) {
        if (line.starts_with("left out: ")) found.failures.push_back(line);
    };
    observer.progress = [](const training::RunProgress&) {};
    observer.epochDone = [](const training::LogRow&, int) {};
    observer.stopped = [] { return false; };
    training::train(settings, observer);
    return found;
}

constexpr std::array<Scenario, 7> scenarios = {{
    {"safetensors", "a safetensors model is read", [] { writeSmallModel("model.safetensors"); },
     [] { return readModel("model.safetensors"); }, false, false},
    {"torch", "a PyTorch model is read", [] { writeTorchModel("model.ckpt"); },
     [] { return readModel("model.ckpt"); }, false, false},
    {"analysis", "a file is analysed",
     [] {
         writeSmallModel("model.safetensors");
         makeRecording("in/a.flac", test::AudioFormat::flacPcm16, 22050, 1);
     },
     analyseFile, false, false},
    {"batch", "a batch is run", prepareArchive, [] { return runBatch(requestFor({"in"})); }, false, false},
    {"resumed", "a batch is continued", prepareHalfABatch, [] { return runBatch(requestFor({"in"})); }, false,
     false},
    {"merge", "shards are merged", prepareShards, mergeFolders, false, false},
    {"training", "a training is saved", prepareSounds, trainHead, true, true, "new.safetensors"},
}};

} // namespace

std::span<const Scenario> allScenarios() { return scenarios; }

} // namespace earshot::faults
