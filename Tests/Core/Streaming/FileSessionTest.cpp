#include "Core/Streaming/FileSession.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>

using namespace earshot;
using namespace earshot::streaming;
using detection::Mode;
using test::AudioFormat;
using test::eventually;
using test::levelModel;

namespace {

State waitForEnd(const FileSession& session) {
    REQUIRE(eventually([&] {
        const State state = session.status().state;
        return state == State::finished || state == State::failed;
    }));
    return session.status().state;
}

// Holds every pass until it is opened.
class Gate {
  public:
    test::LevelModel::Hook hook() {
        return [this] {
            ++passes_;
            while (!open_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
    }
    void open() { open_ = true; }
    int passes() const { return passes_; }

  private:
    std::atomic<bool> open_{false};
    std::atomic<int> passes_{0};
};

} // namespace

TEST_CASE("A recording in the background gives the columns that analyzeFile gives", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    const auto path = folder / "noise.wav";
    for (const auto& [rate, seconds] : {std::pair{32000, 25.0}, {44100, 12.3}, {8000, 0.4}}) {
        test::writeAudio(path, AudioFormat::wavFloat, rate, 1,
                         test::noise(static_cast<std::size_t>(rate * seconds), 1));
        for (const Mode mode : {Mode::automatic, Mode::crop, Mode::repeat})
            for (const int hop : {0, 1, 8, 1000, -3}) { // beyond what a mode can: its most, or its least
                CAPTURE(rate, name(mode), hop);
                const int longest = mode == Mode::repeat ? 8 : 32;
                const int clamped = hop == 0 ? longest / 4 : std::clamp(hop, 1, longest); // 0: the usual one
                detection::Analyzer analyzer(std::make_unique<test::LevelModel>(), {},
                                             {.mode = mode, .hopTokens = clamped});
                audio::AudioFile file(path);
                detection::analyzeFile(file, analyzer, 32000.0);

                const FileSession session(path, levelModel(), {.mode = mode, .hopSeconds = 0.32 * hop});
                REQUIRE(session.recording() == path);
                REQUIRE(waitForEnd(session) == State::finished);
                History history;
                REQUIRE(session.copySince(history));
                REQUIRE_FALSE(session.copySince(history));
                REQUIRE(history.timeline);
                REQUIRE(test::allColumns(*history.timeline) == test::allColumns(analyzer.timeline()));
                REQUIRE(history.timeline->settled() == history.timeline->columns());
                REQUIRE(history.timeline->duration() == analyzer.timeline().duration());
                REQUIRE(history.labels->names() == std::vector<std::string>{"Loud", "Late"});
                REQUIRE(history.times.shown(3.0) == 3.0);
                REQUIRE(history.spectrogram.bands() == 64);
                REQUIRE(static_cast<double>(history.spectrogram.frames()) *
                            history.spectrogram.secondsPerFrame() ==
                        Approx(seconds).margin(0.02));

                const Status status = session.status();
                REQUIRE(status.message.empty());
                REQUIRE(status.model == "level");
                REQUIRE(status.classes == 2);
                REQUIRE(status.heard == Approx(seconds));
                REQUIRE_FALSE(status.progress);
                REQUIRE(status.hop == Approx(0.32 * clamped));
            }
    }
}

TEST_CASE("A recording can be watched while it is heard", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeAudio(folder / "long.wav", AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 60, 1));
    Gate gate;
    // Passes wait from the tenth on.
    std::atomic<int> passes{0};
    const auto hook = [&, held = gate.hook()] {
        if (++passes > 10) held();
    };
    const FileSession session(folder / "long.wav", levelModel(hook), {.hopSeconds = 2.56});
    REQUIRE(eventually([&] { return gate.passes() > 0; }));
    const Status status = session.status();
    REQUIRE(status.state == State::running);
    REQUIRE(status.progress);
    REQUIRE(*status.progress > 0.3);
    REQUIRE(*status.progress < 0.9);
    REQUIRE(status.heard == Approx(*status.progress * 60.0));
    History history;
    REQUIRE(session.copySince(history));
    const auto columns = history.timeline->columns();
    REQUIRE(columns > 80);
    REQUIRE(columns < 187);
    REQUIRE(history.spectrogram.frames() > 2000);
    const auto early = test::allColumns(*history.timeline);
    const auto settled = static_cast<std::size_t>(history.timeline->settled());
    REQUIRE(settled > 0);

    gate.open();
    REQUIRE(waitForEnd(session) == State::finished);
    REQUIRE(session.copySince(history));
    REQUIRE(history.timeline->columns() == 188);
    // Settled columns are final.
    const auto all = test::allColumns(*history.timeline);
    REQUIRE(std::equal(early.begin(), early.begin() + static_cast<std::ptrdiff_t>(2 * settled), all.begin()));
}

TEST_CASE("What was heard before a cancel stays, and is settled", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeAudio(folder / "long.wav", AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 60, 1));
    Gate gate;
    FileSession session(folder / "long.wav", levelModel(gate.hook()), {.hopSeconds = 2.56});
    REQUIRE(eventually([&] { return gate.passes() > 0; }));
    session.cancel();
    gate.open();
    REQUIRE(waitForEnd(session) == State::finished);
    REQUIRE_THAT(session.status().message, ContainsSubstring("Stopped"));
    REQUIRE(session.status().heard < 20.0);
    History history;
    REQUIRE(session.copySince(history));
    REQUIRE(history.timeline->columns() > 25);
    REQUIRE(history.timeline->settled() == history.timeline->columns());
    REQUIRE(history.timeline->duration() == Approx(session.status().heard));
}

TEST_CASE("A recording that goes away ends after the pass that runs", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeAudio(folder / "long.wav", AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 60, 1));
    Gate gate;
    auto session = std::make_unique<FileSession>(folder / "long.wav", levelModel(gate.hook()),
                                                 SessionSettings{.hopSeconds = 0.32});
    REQUIRE(eventually([&] { return gate.passes() == 1; }));
    std::thread opens([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        gate.open();
    });
    session.reset();
    opens.join();
    REQUIRE(gate.passes() == 1);

    for (int i = 0; i < 20; ++i) // at any moment
        FileSession(folder / "long.wav", levelModel(), {.hopSeconds = 0.32});
}

TEST_CASE("A recording that goes away waits neither for a loading model nor for a silent file system",
          "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeAudio(folder / "a.wav", AudioFormat::wavPcm16, 32000, 1, test::noise(32000, 1));
    for (const bool listens : {true, false}) {
        const auto loading = std::make_shared<std::atomic<bool>>(false);
        const auto over = std::make_shared<std::atomic<bool>>(false);
        const auto done = std::make_shared<std::atomic<bool>>(false);
        auto session = std::make_unique<FileSession>(
            folder / "a.wav",
            [=](const StopToken& stop) -> LoadedModel {
                *loading = true;
                while (!*over) {
                    if (listens) stop.check();
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                *done = true;
                return levelModel()();
            },
            SessionSettings{});
        REQUIRE(eventually([&] { return loading->load(); }));
        const auto begun = std::chrono::steady_clock::now();
        session.reset();
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(3));
        *over = true;
        if (!listens) REQUIRE(eventually([&] { return done->load(); }));
    }
}

TEST_CASE("A cancel while the model loads hears nothing", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeAudio(folder / "a.wav", AudioFormat::wavPcm16, 32000, 1, test::noise(32000, 1));
    std::atomic<bool> loading{false}, go{false};
    const auto loader = [&] {
        loading = true;
        while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return levelModel()();
    };
    FileSession session(folder / "a.wav", loader, {});
    REQUIRE(eventually([&] { return loading.load(); }));
    REQUIRE(session.status().state == State::loading);
    History history;
    REQUIRE_FALSE(session.copySince(history));
    session.cancel();
    go = true;
    REQUIRE(waitForEnd(session) == State::finished);
    REQUIRE_FALSE(session.copySince(history));
}

TEST_CASE("What cannot be read says why and what to do", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / "text.wav", "a shopping list");
    test::writeAudio(folder / "good.wav", AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 12, 1));
    const auto failureOf = [](const std::filesystem::path& path, const ModelLoader& loader,
                              const SessionSettings& settings = {}) {
        const FileSession session(path, loader, settings);
        REQUIRE(waitForEnd(session) == State::failed);
        const std::string message = session.status().message;
        REQUIRE_FALSE(message.empty());
        REQUIRE(message.find('\n') == std::string::npos);
        return message;
    };
    REQUIRE_THAT(failureOf(folder / "missing.wav", levelModel()),
                 ContainsSubstring("missing.wav") && ContainsSubstring("check the name"));
    REQUIRE_THAT(failureOf(folder / "text.wav", levelModel()), ContainsSubstring("convert it"));
    REQUIRE_THAT(failureOf(folder / "good.wav", {}), ContainsSubstring("choose one"));
    REQUIRE_THAT(failureOf(folder / "good.wav",
                           []() -> LoadedModel { throw Error("m.safetensors: is damaged; copy it again"); }),
                 ContainsSubstring("copy it again"));
    REQUIRE_THAT(failureOf(folder / "good.wav", []() -> LoadedModel { throw std::bad_alloc(); }),
                 ContainsSubstring("memory"));
    REQUIRE_THAT(failureOf(folder / "good.wav", levelModel([] { throw Error("the pass failed"); })),
                 ContainsSubstring("the pass failed"));
    const auto misnamed = [] {
        auto model = levelModel()();
        model.labels = test::labelsOf({"only one"});
        return model;
    };
    REQUIRE_THAT(failureOf(folder / "good.wav", misnamed), ContainsSubstring("expected 2 names"));
}

TEST_CASE("A damaged recording is heard up to its damage, and says so", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    test::writeAudio(folder / "cut.flac", AudioFormat::flacPcm16, 32000, 1, test::noise(32000 * 20, 1));
    test::truncate(folder / "cut.flac", 0.6);
    const FileSession session(folder / "cut.flac", levelModel(), {.hopSeconds = 2.56});
    REQUIRE(waitForEnd(session) == State::finished);
    REQUIRE_THAT(session.status().message, ContainsSubstring("cut.flac") && ContainsSubstring("damaged"));
    REQUIRE(session.status().heard > 5.0);
    History history;
    REQUIRE(session.copySince(history));
    REQUIRE(history.timeline->columns() > 15);

    const float nan = std::numeric_limits<float>::quiet_NaN();
    test::writeAudio(folder / "nan.wav", AudioFormat::wavFloat, 32000, 1, std::vector<float>(32000, nan));
    const FileSession silent(folder / "nan.wav", levelModel(), {});
    REQUIRE(waitForEnd(silent) == State::finished);
    REQUIRE_THAT(silent.status().message, ContainsSubstring("32000 samples"));
}

TEST_CASE("Each channel of a recording has the columns that it has by itself", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    const auto path = folder / "many.wav";
    const int channels = GENERATE(1, 2, 3, FileSession::maxChannels + 2);
    CAPTURE(channels);
    test::writeAudio(path, AudioFormat::wavFloat, 32000, channels,
                     test::noise(static_cast<std::size_t>(channels) * 32000 * 4, 1));
    const FileSession session(path, levelModel(), {.channel = audio::ReadOptions::eachChannel});
    REQUIRE(waitForEnd(session) == State::finished);
    const Status status = session.status();
    const int analysed = std::min(channels, FileSession::maxChannels);
    REQUIRE(static_cast<int>(status.channels.size()) == analysed);
    CHECK(status.heard == Approx(4.0));
    CHECK(status.message.empty() == (channels <= FileSession::maxChannels));
    for (int i = 0; i < analysed; ++i) {
        CHECK(status.channels[static_cast<std::size_t>(i)] == i + 1);
        const FileSession alone(path, levelModel(), {.channel = i + 1});
        REQUIRE(waitForEnd(alone) == State::finished);
        CHECK(alone.status().channels == std::vector<int>{i + 1});
        History one, all;
        REQUIRE(alone.copySince(one));
        REQUIRE(session.channel(static_cast<std::size_t>(i)).copySince(all));
        REQUIRE(test::allColumns(*one.timeline) == test::allColumns(*all.timeline));
        CHECK(one.timeline->duration() == all.timeline->duration());
        CHECK(one.spectrogram.frames() == all.spectrogram.frames());
    }
    const FileSession mix(path, levelModel(), {});
    REQUIRE(waitForEnd(mix) == State::finished);
    CHECK(mix.status().channels.empty());
}

TEST_CASE("Cancelling in a later channel keeps the channels before", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    const auto path = folder / "stereo.wav";
    test::writeAudio(path, AudioFormat::wavPcm16, 32000, 2, test::noise(std::size_t{2} * 32000 * 40, 1));
    Gate gate;
    std::atomic<int> passes{0};
    const auto hook = [&, held = gate.hook()] {
        if (++passes > 20) held(); // the first channel has 13 to 17
    };
    FileSession session(path, levelModel(hook),
                        {.hopSeconds = 2.56, .channel = audio::ReadOptions::eachChannel});
    REQUIRE(eventually([&] { return gate.passes() > 0; }));
    CHECK(session.status().progress.value_or(0.0) > 0.5);
    session.cancel();
    gate.open();
    REQUIRE(waitForEnd(session) == State::finished);
    const Status status = session.status();
    CHECK(status.incomplete);
    CHECK(status.message.find("of channel 2") != std::string::npos);
    History first, second;
    REQUIRE(session.copySince(first));
    REQUIRE(session.channel(1).copySince(second));
    CHECK(first.timeline->columns() == 125);
    CHECK(second.timeline->columns() < 125);
}
