// Each channel of a recording by itself: in the app's list, in an opened recording and in projects.
#include "Plugin/EarshotEditor.h"
#include "Plugin/Recordings/Recordings.h"

#include "Core/Audio/RecordingStart.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Tensor/Threads.h"
#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/Folders.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/ParameterIds.h"

#include <algorithm>
#include <chrono>
#include <set>

using namespace earshot;
namespace fs = std::filesystem;
using audio::ReadOptions;

namespace {

// The demo at the left, and from 10 s on at the right: no sound begins at the same time in both.
void writeShifted(const fs::path& file) {
    const auto demo = test::readAudio(test::demoFile());
    constexpr int rate = 48000;
    const int frames = 22 * rate, shift = 10 * rate;
    std::vector<float> samples;
    for (int i = 0; i < frames; ++i) {
        samples.push_back(demo.getSample(0, i));
        samples.push_back(demo.getSample(0, i + shift));
    }
    fs::create_directories(file.parent_path());
    test::writeAudio(file, test::AudioFormat::wavPcm16, rate, 2, samples);
}

// What the command line analyses recordings with.
struct CommandLine {
    explicit CommandLine(int channel) { how.reading.channel = channel; }

    void run(const fs::path& in, const fs::path& results) const {
        batch::BatchRequest request;
        request.folder = results;
        request.inputs = batch::findInputs(std::vector<std::string>{in.string()});
        request.outputs = {batch::documentKind(*formats::formatNamed("csv"))};
        request.model = batch::describeModel(model);
        request.fingerprint = batch::fingerprint(model, request.model, how, {});
        request.readFiles = {model.weights->file()};
        batch::Batch(std::move(request)).run(detection::makeDetector(model, how), {});
    }

    // As one file, in a format.
    std::string document(const fs::path& file, const char* format) const {
        const auto detector = detection::makeDetector(model, how);
        audio::AudioFile audio(file, Pipes::refused, how.reading);
        const tensor::ThreadCountScope one(1); // of a pass, as the command line has it
        const auto analyzer = detector.makeAnalyzer(1);
        const auto result =
            detection::analyzeRecording(audio, *analyzer, detector.modelRate, detector.question());
        const auto events = detection::recordingEvents({.file = file.string(),
                                                        .sampleRate = audio.sampleRate(),
                                                        .channels = audio.channels(),
                                                        .minHz = detector.minHz,
                                                        .maxHz = detector.maxHz,
                                                        .start = audio::startOf(file),
                                                        .folder = file.parent_path().string(),
                                                        .path = file.string()},
                                                       result, detector.labels);
        return formats::document(*formats::formatNamed(format), events, {});
    }

    detection::ListeningModel model = detection::openModel(test::defaultModelFile());
    detection::DetectorOptions how{.hop = detection::usualHop(model.shape, detection::Mode::automatic),
                                   .events = detection::eventSettings({}, model.labels)};
};

ui::EventPanel* panelIn(juce::Component& component) {
    if (auto* panel = dynamic_cast<ui::EventPanel*>(&component)) return panel;
    for (auto* child : component.getChildren())
        if (auto* panel = panelIn(*child)) return panel;
    return nullptr;
}

constexpr float eachChoice = 17.0f;

} // namespace

TEST_CASE("Each is behind the channels that projects name by number", "[unit]") {
    plugin::EarshotProcessor processor;
    auto* parameter = processor.parameters().getParameter(ui::parameter::channel);
    for (int number = 0; number <= 16; ++number) {
        // What the version before Each wrote.
        const auto project = R"({"earshot": 1, "parameters": {"channel": )" + std::to_string(number) + ".0}}";
        processor.setStateInformation(project.data(), static_cast<int>(project.size()));
        CHECK(parameter->getCurrentValueAsText() ==
              (number == 0 ? juce::String("Mix") : juce::String(number)));
        CHECK(processor.state().parameters.at("channel") == static_cast<float>(number));
    }
    for (const char* typed : {"Each", "each", " E"})
        CHECK(parameter->convertFrom0to1(parameter->getValueForText(typed)) == eachChoice);
    test::setParameter(processor, ui::parameter::channel, eachChoice);
    CHECK(parameter->getCurrentValueAsText() == "Each");
    juce::MemoryBlock project;
    processor.getStateInformation(project);
    plugin::EarshotProcessor other;
    other.setStateInformation(project.getData(), static_cast<int>(project.getSize()));
    CHECK(other.state().parameters.at("channel") == eachChoice);
}

TEST_CASE("a live stream has the mix where each channel is chosen", "[unit]") {
    const test::ModelEnvironment environment;
    const auto peakOf = [](float choice) {
        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::channel, choice);
        processor.teaching().setKeepsAudio(true);
        processor.setNonRealtime(true);
        processor.prepareToPlay(32000.0, 512);
        juce::AudioBuffer<float> audio(2, 64000);
        for (int i = 0; i < audio.getNumSamples(); ++i) {
            audio.setSample(0, i, 0.8f);
            audio.setSample(1, i, 0.2f);
        }
        test::playThrough(
            processor, audio, [] { return 512; }, [](const juce::MidiBuffer&, int) {});
        processor.releaseResources();
        std::vector<float> samples;
        double start = 0.0;
        int rate = 0;
        streaming::History history;
        processor.bounce()->copySince(history);
        REQUIRE(processor.bounce()->copyAudio(history.stream, 0.5, 1.0, samples, start, rate));
        return samples.at(samples.size() / 2);
    };
    CHECK(peakOf(eachChoice) == Approx(0.5).margin(0.001));
    CHECK(peakOf(2.0f) == Approx(0.2).margin(0.001));
}

TEST_CASE("the app's list analyses each channel as the command line does", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto in = folder / "in";
    writeShifted(in / "a.wav");
    plugin::HowToListen how;
    how.channel = ReadOptions::eachChannel;
    plugin::Recordings recordings;
    recordings.add({in}, how);
    REQUIRE(test::eventually(
        [&] {
            const auto list = recordings.view();
            return !list.hearing && list.rows().size() == 1 &&
                   list.rows()[0].state == ui::ListedRecording::State::done;
        },
        std::chrono::minutes(10)));
    CommandLine(ReadOptions::eachChannel).run(in, folder / "reference");
    CHECK(test::changes(test::contents(folder / "in earshot results"),
                        test::contents(folder / "reference")) == "");
    const auto list = recordings.view();
    REQUIRE(list.events);
    std::set<int> channels;
    for (const auto& event : list.events->events) channels.insert(event.channel);
    CHECK(channels == std::set<int>{1, 2});
}

TEST_CASE("an opened recording lists and exports its channels as the command line does", "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const auto file = folder / "a.wav";
    writeShifted(file);
    plugin::EarshotProcessor processor;
    const std::unique_ptr<juce::AudioProcessorEditor> editor(processor.createEditorIfNeeded());
    auto* panel = panelIn(*editor);
    REQUIRE(panel != nullptr);
    auto& viewModel = processor.viewModel();
    for (const int channel : {ReadOptions::eachChannel, 2, ReadOptions::mix}) {
        CAPTURE(channel);
        test::setParameter(processor, ui::parameter::channel,
                           channel == ReadOptions::eachChannel ? eachChoice : static_cast<float>(channel));
        processor.playback().open(juce::File(file.string()));
        REQUIRE(test::eventually(
            [&] { return processor.playback().source().status().state == streaming::State::finished; }));
        viewModel.update();
        REQUIRE(viewModel.found().size() > 2);
        const CommandLine commandLine(channel);
        for (const char* format : {"csv", "audacity", "kaleidoscope"})
            CHECK(panel->exported(*formats::formatNamed(format)) == commandLine.document(file, format));
        if (channel != ReadOptions::eachChannel) {
            CHECK(viewModel.channels() == (channel == 0 ? std::vector<int>() : std::vector<int>{2}));
            CHECK(viewModel.channel() == channel);
            continue;
        }
        CHECK(viewModel.channels() == std::vector<int>{1, 2});
        CHECK(viewModel.channel() == 1);
        const auto of = [&](int number) {
            return std::ranges::count(viewModel.found(), number, &detection::Event::channel);
        };
        REQUIRE(of(1) > 0);
        REQUIRE(of(2) > 0);
        CHECK(std::ssize(viewModel.events().list().events) == of(1));
        viewModel.showChannel(7); // which there is not
        viewModel.update();
        CHECK(viewModel.channel() == 1);
        viewModel.showChannel(2);
        viewModel.update();
        CHECK(viewModel.channel() == 2);
        CHECK(std::ssize(viewModel.events().list().events) == of(2));
    }
    processor.playback().close();
    processor.editorBeingDeleted(editor.get());
}
