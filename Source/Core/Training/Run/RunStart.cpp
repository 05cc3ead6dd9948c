#include "Core/Training/Run/RunStart.h"

#include "Core/Audio/ExternalDecoder.h"
#include "Core/Base/Error.h"
#include "Core/Base/OutputCheck.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Data/RecordingSource.h"
#include "Core/Training/Network/ImageStart.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace earshot::training {

namespace {

constexpr std::size_t shownProblems = 10;

std::filesystem::path beside(const std::filesystem::path& model, const char* extension) {
    auto file = model;
    return file.replace_extension(extension);
}

bool isThere(const std::filesystem::path& file) {
    std::error_code failure;
    return std::filesystem::exists(file, failure);
}

// For each label, the class of that name in a model, or -1.
std::vector<int> knownClasses(const std::vector<std::string>& labels, const detection::Labels& names) {
    std::vector<int> known;
    known.reserve(labels.size());
    for (const auto& label : labels) known.push_back(names.find(label).value_or(-1));
    return known;
}

void addTo(std::uint64_t& hash, std::string_view text) { hash = fnv1a("\xff", fnv1a(text, hash)); }

void reportProblems(const DataSet& data, const RunFiles& files, const RunObserver& observer) {
    if (data.problems.empty()) return;
    std::string all;
    for (std::size_t i = 0; i < data.problems.size(); ++i) {
        const auto line = data.problems[i].line();
        all += line + "\n";
        if (i < shownProblems) observer.note(line);
    }
    if (data.problems.size() <= shownProblems) return;
    writeWholeFile(files.problems, all);
    observer.note(fmt::format("{} more like these, listed in {}", data.problems.size() - shownProblems,
                              displayName(files.problems)));
}

// The network that a training from an image model trains; its classes are yet unknown.
model::Config imageConfig(const RunSettings& settings, model::Checkpoint& checkpoint,
                          const model::ImageModel& image) {
    auto config = model::startingConfig(checkpoint, image);
    if (settings.freezeEncoder)
        throw Error(fmt::format("{}: is a {}, and its encoder was not trained on sounds; train the whole "
                                "network: leave --freeze encoder out",
                                displayName(checkpoint.file()), image.name()));
    if (settings.fineHead) settings.fineHead->applyTo(config);
    return config;
}

} // namespace

RunFiles::RunFiles(const std::filesystem::path& modelFile)
    : model(modelFile)
    , log(beside(modelFile, ".csv"))
    , curves(beside(modelFile, ".svg"))
    , card(beside(modelFile, ".md"))
    , problems(beside(modelFile, ".problems.txt"))
    , checkpoint(beside(modelFile, ".training.safetensors")) {}

void checkPlace(const RunSettings& settings, const RunFiles& files) {
    if (files.model.extension() != ".safetensors")
        throw Error(fmt::format("{}: a model's name ends in .safetensors", displayName(files.model)));
    const auto folder =
        files.model.has_parent_path() ? files.model.parent_path() : std::filesystem::path(".");
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure))
        throw Error(fmt::format("{}: is no folder; create it first", displayName(folder)));
    if (settings.resume && !isThere(files.checkpoint))
        throw Error(fmt::format("{}: there is nothing to resume; train without --resume",
                                displayName(files.checkpoint)));
}

void checkFiles(const RunSettings& settings, const RunFiles& files, const DataSet& data) {
    const auto written = {files.model, files.log, files.curves, files.card, files.problems, files.checkpoint};
    OutputCheck check;
    for (const auto& file : written) check.writes(file);
    for (const auto& source : settings.data.sources) check.reads(source, "the data");
    for (const auto& clip : data.files) check.reads(clip, "a clip of the data");
    for (const auto& table : {settings.teacher.softLabels, settings.teacher.embeddings})
        if (table) check.reads(*table, "a table of the teacher");
    if (settings.from) {
        check.reads(settings.from->file, "the model to start from");
        if (const auto labels = detection::labelFileBeside(settings.from->file))
            check.reads(*labels, "the labels of the model to start from");
    }
    if (const auto clash = check.clash())
        throw Error(
            fmt::format("{}: is {}, and the training would write its own file there{}; name another model",
                        displayName(clash->input), clash->what,
                        clash->output == clash->input ? "" : ", as " + displayName(clash->output)));
    if (!settings.resume && !settings.overwrite && !check.occupied().empty())
        throw Error(
            fmt::format("{}: is there already; name another model, or use --overwrite{}",
                        displayName(check.occupied().front()),
                        isThere(files.checkpoint) ? ", or --resume to go on with a stopped training" : ""));
    for (const auto& file : written) requireWritable(file);
}

std::unique_ptr<LoadedData> loadData(DataSet&& set, const RunSettings& settings, const RunFiles& files,
                                     int sampleRate, const RunObserver& observer) {
    auto data = std::make_unique<LoadedData>();
    data->set = std::move(set);
    data->store = std::make_unique<const ClipStore>(data->set, sampleRate, settings.trainer.threads,
                                                    [&](std::size_t done, std::size_t total) {
                                                        RunProgress progress;
                                                        progress.phase = RunPhase::reading;
                                                        progress.done = static_cast<std::int64_t>(done);
                                                        progress.total = static_cast<std::int64_t>(total);
                                                        observer.progress(progress);
                                                        return !observer.stopped();
                                                    });
    reportProblems(data->set, files, observer);
    requireClips(data->set, *data->store, settings.data.minClips);
    std::size_t train = 0, valid = 0, other = 0, unlabelled = 0, backgrounds = 0, rooms = 0;
    double seconds = 0.0;
    for (const StoredClip& stored : data->store->clips()) {
        seconds += static_cast<double>(stored.samples.size()) / sampleRate;
        (stored.clip->split == Split::valid ? valid : train) += 1;
        if (stored.clip->kind == ClipKind::background) ++backgrounds;
        if (stored.clip->kind == ClipKind::room) ++rooms;
        if (stored.clip->kind == ClipKind::unlabelled) ++unlabelled;
        if (stored.clip->kind == ClipKind::sound && stored.clip->labels.empty()) ++other;
    }
    std::string apart;
    for (const auto& [count, what] : {std::pair{other, "of no class"},
                                      {unlabelled, "without labels"},
                                      {backgrounds, "backgrounds"},
                                      {rooms, "rooms"}})
        if (count > 0) apart += fmt::format("{}{} {}", apart.empty() ? "" : ", ", count, what);
    const std::size_t classes = data->set.labels.size();
    observer.note(fmt::format("{} class{}; {} clip{} to train on, {} to validate with, {:.1f} minutes{}",
                              classes, classes == 1 ? "" : "es", train, train == 1 ? "" : "s", valid,
                              seconds / 60.0, apart.empty() ? "" : " (of these " + apart + ")"));
    return data;
}

std::string fingerprintOf(const DataSet& data) {
    std::uint64_t hash = fnv1a("");
    for (const auto& label : data.labels) addTo(hash, label);
    for (const Clip& clip : data.clips) {
        addTo(hash, clip.file.filename().string());
        addTo(hash, clip.group);
        for (const int label : clip.labels) addTo(hash, std::to_string(label));
        for (const LabelledSpan& span : clip.spans)
            addTo(hash, fmt::format("{} {} {}", span.onset, span.offset, span.label));
        addTo(hash, std::to_string(static_cast<int>(clip.split)));
        if (clip.kind != ClipKind::sound) addTo(hash, std::to_string(static_cast<int>(clip.kind)));
    }
    return fmt::format("{:016x}", hash);
}

std::string optionsOf(const RunSettings& settings) {
    // The shortest text of a float: 0.3 instead of 0.30000001192092896.
    const auto number = [](float value) { return nlohmann::json::parse(fmt::format("{}", value)); };
    const SceneSettings& scenes = settings.scenes;
    nlohmann::ordered_json object;
    object["SHA-256 of --from"] = settings.from ? sha256OfFile(settings.from->file) : "none";
    // Stated by the user, so that those who state nothing go on as before.
    const auto choice = settings.from ? settings.from->choice : model::ReadingChoice{};
    if (choice.sampleRate) object["sample-rate"] = *choice.sampleRate;
    if (choice.hopSize) object["hop-size"] = *choice.hopSize;
    if (choice.weights) object["weights"] = model::nameOf(*choice.weights);
    const audio::ReadOptions& reading = settings.data.reading;
    if (reading.channel != audio::ReadOptions::mix) object["channel"] = audio::channelText(reading.channel);
    if (reading.gain != 0.0 || reading.autoGain) object["gain"] = audio::gainText(reading);
    if (reading.speed) object["speed"] = audio::speedText(reading);
    if (audio::decodesWithFfmpeg()) object["decode-with"] = "ffmpeg";
    object["scenes-per-epoch"] = settings.scenesPerEpoch;
    object["valid-scenes"] = settings.validScenes;
    object["validate-every"] = settings.validateEvery;
    object["max-events"] = scenes.maxEvents;
    object["lowest-snr"] = number(scenes.minSnr);
    object["level-spread"] = number(scenes.levelSpread);
    object["filter-range"] = number(scenes.filterRange);
    object["variation"] = number(settings.variation);
    object["late-onsets"] = number(scenes.lateShare);
    if (scenes.cleanShare > 0.0f) object["clean-clips"] = number(scenes.cleanShare);
    if (settings.teacher.softLabels) {
        object["SHA-256 of --soft-labels"] = sha256OfFile(*settings.teacher.softLabels);
        object["soft-share"] = number(scenes.softShare);
        if (scenes.unlabelledShare != SceneSettings{}.unlabelledShare)
            object["unlabelled-share"] = number(scenes.unlabelledShare);
    }
    if (settings.teacher.embeddings)
        object["SHA-256 of --embeddings"] = sha256OfFile(*settings.teacher.embeddings);
    object["store"] = settings.storage == Storage::float16 ? "float16" : "float32";
    return object.dump();
}

int sampleRateOf(const RunSettings& settings) {
    if (!settings.from) return settings.network.sampleRate;
    const auto checkpoint = model::Checkpoint::open(*settings.from);
    if (const auto image = model::findImageModel(*checkpoint))
        return imageConfig(settings, *checkpoint, *image).sampleRate;
    return model::openLayout(*checkpoint).config.sampleRate;
}

StartingPoint startingPoint(const RunSettings& settings, const std::vector<std::string>& labels) {
    StartingPoint start;
    if (!settings.from) {
        auto config = settings.network;
        config.classes = static_cast<int>(labels.size());
        start.layout = std::make_unique<const ParameterLayout>(config);
        start.values = initialParameters(*start.layout, settings.trainer.seed);
        return start;
    }
    const auto checkpoint = model::Checkpoint::open(*settings.from);
    if (const auto image = model::findImageModel(*checkpoint)) {
        auto config = imageConfig(settings, *checkpoint, *image);
        config.classes = static_cast<int>(labels.size());
        start.imageModel = image->name();
        start.layout = std::make_unique<const ParameterLayout>(config);
        start.values = initialParameters(*start.layout, settings.trainer.seed);
        readImageEncoder(*checkpoint, *image, *start.layout, start.values);
        return start;
    }
    const auto found = model::openLayout(*checkpoint);
    const auto names =
        detection::Labels::read(checkpoint->metadata(), checkpoint->file(), found.config.classes);
    auto config = found.config;
    config.classes = static_cast<int>(labels.size());
    if (settings.fineHead) settings.fineHead->applyTo(config);
    const bool keepsHead = config.head == found.config.head && config.headWidth == found.config.headWidth &&
                           config.headLayers == found.config.headLayers;
    start.licence = names.licence();
    start.layout = std::make_unique<const ParameterLayout>(config);
    start.values = initialParameters(*start.layout, settings.trainer.seed);
    start.statistics = readParameters(*checkpoint, found.prefix, *start.layout, false, start.values);
    if (keepsHead) {
        const auto known = knownClasses(labels, names);
        start.knownClasses =
            static_cast<int>(std::ranges::count_if(known, [](int index) { return index >= 0; }));
        readHead(*checkpoint, found.prefix, *start.layout, found.config.classes, known, start.values);
    }
    const auto filters = found.prefix + "logmel_extractor.melW";
    if (checkpoint->contains(filters)) {
        const auto matrix = checkpoint->read(filters);
        if (matrix.size() !=
            static_cast<std::size_t>(config.fftSize / 2 + 1) * static_cast<std::size_t>(config.melBands))
            throw Error(fmt::format("{}: tensor {}: is of another shape than its spectrogram; start from "
                                    "another model",
                                    displayName(checkpoint->file()), printable(filters)));
        start.melFilters.assign(matrix.values().begin(), matrix.values().end());
    }
    return start;
}

RunSources sourcesOf(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                     const SceneSettings& settings, Split split, std::uint64_t seed,
                     const TeacherTable* teacher) {
    const auto count = [&](auto isOfKind) {
        return static_cast<double>(std::ranges::count_if(store.clips(), [&](const StoredClip& stored) {
            return stored.clip->split == split && isOfKind(stored);
        }));
    };
    RunSources sources;
    std::vector<CombinedSource::Part> parts;
    if (hasScenes(store, split)) {
        sources.scenes =
            std::make_shared<const SceneMixer>(store, data, shape, settings, split, seed, teacher);
        parts.push_back({sources.scenes, count(canBeMixed)});
    }
    if (hasRecordings(store, split))
        parts.push_back({std::make_shared<const RecordingSource>(store, data, shape, settings, split, seed),
                         count(isRecording)});
    if (parts.size() == 1) sources.examples = parts.front().source;
    if (parts.size() > 1) sources.examples = std::make_shared<const CombinedSource>(std::move(parts), seed);
    return sources;
}

} // namespace earshot::training
