#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Ui/HistoryViewModel.h"
#include "Ui/ParameterIds.h"

#include "Core/Detection/Detector.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>

using namespace earshot;
using test::eventually;

namespace {

// What the command line's path says of a recording.
struct Reference {
    Reference(detection::Mode mode, double hopSeconds,
              const std::filesystem::path& recording = test::demoFile())
        : model(detection::openModel(test::defaultModelFile()))
        , labels(model.labels) {
        const tensor::ThreadCountScope one(1); // of a pass, as the command line has it
        const auto detector =
            detection::makeDetector(model, {.mode = mode,
                                            .hop = *detection::hopTokens(model, mode, hopSeconds),
                                            .events = {},
                                            .thorough = true});
        opened = detector.makeAnalyzer(1);
        audio::AudioFile file(recording);
        detection::analyzeFile(file, *opened, detector.modelRate);
    }
    detection::Analyzer& analyzer() const { return *opened; }

    detection::ListeningModel model;
    detection::Labels labels;
    std::unique_ptr<detection::Analyzer> opened;
};

void checkSame(const detection::Timeline& a, const detection::Timeline& b) {
    REQUIRE(a.classes() == b.classes());
    REQUIRE(a.columns() == b.columns());
    REQUIRE(a.settled() == a.columns());
    for (std::int64_t column = 0; column < a.columns(); ++column) {
        INFO("column " << column);
        REQUIRE(std::memcmp(a.column(column).data(), b.column(column).data(),
                            sizeof(float) * static_cast<std::size_t>(a.classes())) == 0);
    }
}

} // namespace

TEST_CASE("a bounce in any blocks hears what the command line hears in the file", "[slow]") {
    const test::ModelEnvironment environment;
    std::mt19937 random(11);
    const juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    struct Choice {
        detection::Mode mode;
        double hopSeconds;
        float hopIndex;
    };
    // Hop 0 is Auto, which is 0.32 s in a bounce.
    for (const Choice& choice :
         {Choice{detection::Mode::automatic, 0.32, 0.0f}, Choice{detection::Mode::automatic, 2.56, 6.0f},
          Choice{detection::Mode::repeat, 0.64, 4.0f}}) {
        const Reference reference(choice.mode, choice.hopSeconds);
        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::mode, static_cast<float>(choice.mode));
        test::setParameter(processor, ui::parameter::hopSeconds, choice.hopIndex);
        test::setParameter(processor, ui::parameter::threshold, 0.1f); // more events than the demo has sounds
        processor.setNonRealtime(true);
        processor.prepareToPlay(48000.0, 512);
        juce::AudioBuffer<float> audio;
        audio.makeCopyOf(demo);
        test::playThrough(
            processor, audio, [&] { return static_cast<int>(random() % 3000); },
            [](const juce::MidiBuffer&, int) {});
        processor.releaseResources();

        streaming::History history;
        REQUIRE(processor.bounce()->copySince(history));
        REQUIRE(history.timeline);
        checkSame(*history.timeline, reference.analyzer().timeline());

        const auto settings = detection::eventSettings(
            processor.rules(reference.labels, history.timeline->secondsPerColumn()), reference.labels);
        const auto heard = detection::deriveEvents(*history.timeline, settings).events;
        const auto expected = reference.analyzer().events(settings).events;
        REQUIRE(expected.size() >= 5);
        REQUIRE(heard.size() == expected.size());
        for (std::size_t i = 0; i < heard.size(); ++i) {
            REQUIRE(heard[i].classIndex == expected[i].classIndex);
            REQUIRE(heard[i].onset == expected[i].onset);
            REQUIRE(heard[i].offset == expected[i].offset);
            REQUIRE(heard[i].peak == expected[i].peak);
        }
        REQUIRE(processor.bounce()->status().droppedChunks == 0);
    }
}

TEST_CASE("short recordings and short bounces are followed by silence or repeated as on the command line",
          "[unit]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    for (const double seconds : {0.06, 0.3, 1.9, 2.1}) {
        CAPTURE(seconds);
        const auto file = folder / "clip.wav";
        test::writeAudio(file, test::AudioFormat::wavFloat, 48000, 1,
                         test::noise(static_cast<std::size_t>(48000.0 * seconds), 5, 0.2f));
        const Reference reference(detection::Mode::automatic, 0.32, file);
        const Reference silent(detection::Mode::crop, 0.32, file);
        const auto first = [](const Reference& of) { return of.analyzer().timeline().column(0); };
        CHECK(std::ranges::equal(first(reference), first(silent)) == (seconds < detection::repeatedFrom));

        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::hopSeconds, 0.0f); // Auto: 0.32 s in a bounce
        processor.setNonRealtime(true);
        processor.prepareToPlay(48000.0, 512);
        auto audio = test::readAudio(file);
        test::playThrough(
            processor, audio, [] { return 480; }, [](const juce::MidiBuffer&, int) {});
        processor.releaseResources();
        streaming::History history;
        REQUIRE(processor.bounce()->copySince(history));
        REQUIRE(history.timeline);
        checkSame(*history.timeline, reference.analyzer().timeline());

        processor.playback().open(juce::File(file.string()));
        REQUIRE(eventually(
            [&] { return processor.playback().source().status().state == streaming::State::finished; }));
        streaming::History opened;
        REQUIRE(processor.playback().source().copySince(opened));
        REQUIRE(opened.timeline);
        checkSame(*opened.timeline, reference.analyzer().timeline());
    }
}

TEST_CASE("by confidence, a recording's events are those of the command line", "[slow]") {
    const test::ModelEnvironment environment;
    Reference reference(detection::Mode::automatic, 2.56);
    const auto& sebbs = reference.labels.sebbs();
    REQUIRE(sebbs);
    // What `earshot analyze` does with a file.
    const auto analyzed = [&](const detection::EventSettings& settings) {
        const tensor::ThreadCountScope one(1);
        audio::AudioFile file(test::demoFile());
        const detection::RecordingQuestion question{.settings = settings, .reported = {}, .observers = {}};
        return detection::analyzeRecording(file, reference.analyzer(),
                                           reference.model.weights->config().sampleRate, question)
            .found;
    };

    plugin::EarshotProcessor processor;
    processor.playback().open(juce::File(test::demoFile().string()));
    REQUIRE(eventually(
        [&] { return processor.playback().source().status().state == streaming::State::finished; }));
    ui::HistoryViewModel& viewModel = processor.viewModel();
    const auto shown = [&](bool byConfidence) {
        processor.view().edit([&](ui::ViewSettings& view) { view.byConfidence = byConfidence; });
        viewModel.update();
        REQUIRE(viewModel.byConfidence() == byConfidence);
        REQUIRE_FALSE(viewModel.events().behind());
        return viewModel.events().list();
    };
    for (const float seconds : {0.0f, 1.0f}) {
        test::setParameter(processor, ui::parameter::minDuration, seconds);
        test::setParameter(processor, ui::parameter::mergeGap, seconds);
        auto settings = detection::eventSettings(
            processor.rules(reference.labels, reference.analyzer().timeline().secondsPerColumn()),
            reference.labels);
        const auto byThresholds = analyzed(settings);
        detection::useSebbs(settings, sebbs, sebbs->minConfidence());
        const auto byConfidence = analyzed(settings);
        REQUIRE(byConfidence.events.size() >= 4);
        REQUIRE(byConfidence.events != byThresholds.events);
        REQUIRE(shown(true) == byConfidence);
        REQUIRE(shown(false) == byThresholds);
    }
    processor.playback().close();
}

TEST_CASE("a host that says only between blocks that it bounces gets a bounce all the same", "[unit]") {
    const test::ModelEnvironment environment;
    plugin::EarshotProcessor processor;
    processor.prepareToPlay(48000.0, 512);
    processor.setNonRealtime(true);
    juce::AudioBuffer<float> audio(2, 20 * 48000);
    audio.clear();
    const auto play = [&] {
        test::playThrough(
            processor, audio, [] { return 4096; }, [](const juce::MidiBuffer&, int) {});
    };
    play();
    REQUIRE(processor.bounce()->status().droppedChunks == 0);
    processor.setNonRealtime(false);
    play();                       // is of neither stream
    processor.followParameters(); // which ends the bounce and goes on live
    CHECK(processor.bounce()->status().state == streaming::State::finished);
    CHECK(processor.bounce()->status().heard == 20.0);
    CHECK(processor.session().status().heard == 0.0);
    audio.setSize(2, 48000, true);
    play();
    CHECK(eventually([&] { return processor.session().status().heard == 1.0; }));
    CHECK(processor.bounce()->status().heard == 20.0);
    processor.releaseResources();
}

TEST_CASE("a bounce leaves the live stream as it was, and is shown until the user goes back to live",
          "[unit]") {
    const test::ModelEnvironment environment;
    const test::HomeEnvironment home;
    plugin::EarshotProcessor processor;
    processor.model().load(juce::File(test::defaultModelFile().string())); // it can be taught from here on
    processor.teaching().setKeepsAudio(true);
    const auto play = [&](int seconds, unsigned seed) {
        const auto noise = test::noise(static_cast<std::size_t>(seconds) * 48000, seed);
        juce::AudioBuffer<float> audio(2, seconds * 48000);
        for (int channel = 0; channel < 2; ++channel)
            audio.copyFrom(channel, 0, noise.data(), audio.getNumSamples());
        test::playThrough(
            processor, audio, [] { return 512; }, [](const juce::MidiBuffer&, int) {});
    };
    const auto prepare = [&](bool offline, int blockSize) {
        processor.releaseResources();
        processor.setNonRealtime(offline);
        processor.prepareToPlay(48000.0, blockSize);
    };
    const auto shown = [&] {
        processor.followParameters(); // in place of its timer
        auto history = std::make_unique<streaming::History>();
        processor.playback().source().copySince(*history);
        return history;
    };
    const auto columns = [&] {
        const auto history = shown();
        return history->timeline ? history->timeline->columns() : 0;
    };
    prepare(false, 512);
    play(4, 1);
    REQUIRE(eventually([&] { return columns() >= 40; }));
    processor.releaseResources();
    const auto live = shown();
    REQUIRE(live->timeline->columns() == 50);
    CHECK_FALSE(processor.playback().hasBounce());

    prepare(true, 512);
    processor.followParameters();
    CHECK_FALSE(processor.playback().showsRecording()); // there is nothing to see yet
    play(5, 2);
    CHECK(eventually([&] { return shown()->stream != live->stream; })); // while it runs, too
    CHECK(processor.playback().showsRecording());
    play(3, 3);
    prepare(false, 256);
    const auto bounce = shown();
    CHECK(processor.playback().source().status().state == streaming::State::finished);
    CHECK(processor.playback().recording() == juce::File());
    CHECK(bounce->stream != live->stream);
    REQUIRE(bounce->timeline->columns() == 100);
    const auto teaches = [&](std::uint64_t stream) {
        return eventually([&] { return processor.teaching().teach("Hiss", stream, 1.0, 2.0, true) == ""; });
    };
    CHECK(teaches(bounce->stream));

    const auto id = processor.playback().sourceId();
    processor.playback().close();
    CHECK(processor.playback().sourceId() != id);
    CHECK_FALSE(processor.playback().showsRecording());
    CHECK(&processor.playback().source() == &processor.session());
    play(4, 3);
    REQUIRE(eventually([&] { return columns() >= 90; }));
    processor.releaseResources();
    const auto after = shown();
    CHECK(after->stream == live->stream);
    REQUIRE(after->timeline->columns() >= 100);
    for (std::int64_t i = 0; i < live->timeline->columns(); ++i)
        REQUIRE(std::ranges::equal(after->timeline->column(i), live->timeline->column(i)));
    CHECK(teaches(after->stream));

    processor.playback().showBounce();
    CHECK(shown()->stream == bounce->stream);
    CHECK(shown()->timeline->columns() == 100);
    processor.playback().open(juce::File(test::demoFile().string()));
    CHECK(processor.playback().recording() != juce::File());
    processor.playback().close();
    CHECK_FALSE(processor.playback().showsRecording());

    prepare(true, 512); // the next one takes its place
    play(1, 4);
    processor.releaseResources();
    const auto next = shown();
    CHECK(next->stream != bounce->stream);
    CHECK(next->timeline->columns() == 13);
    CHECK(processor.playback().showsRecording());
}

TEST_CASE("a bounce right after another is a bounce of its own, also while the first one ends", "[unit]") {
    const test::ModelEnvironment environment;
    const auto noise = test::noise(std::size_t{8} * 48000, 5);
    plugin::EarshotProcessor processor;
    const auto bounce = [&](int seconds) {
        juce::AudioBuffer<float> audio(2, seconds * 48000);
        for (int channel = 0; channel < 2; ++channel)
            audio.copyFrom(channel, 0, noise.data(), audio.getNumSamples());
        test::playThrough(
            processor, audio,
            [&] {
                processor.setNonRealtime(true); // as JUCE's wrappers say with each block
                return 4096;
            },
            [](const juce::MidiBuffer&, int) {});
    };
    for (const bool follows : {false, true}) {
        CAPTURE(follows);
        processor.setNonRealtime(false);
        processor.prepareToPlay(48000.0, 512);
        bounce(8);
        processor.setNonRealtime(false);
        std::thread host([&] {
            if (follows) juce::Thread::sleep(20);
            processor.setNonRealtime(true);
        });
        if (follows) processor.followParameters(); // makes it live meanwhile
        host.join();
        bounce(5);
        processor.releaseResources();
        CHECK(processor.bounce()->status().heard == 5.0);
        CHECK(processor.bounce()->status().kept.limit == 0);
        CHECK(processor.bounce()->status().droppedChunks == 0);
    }
}
