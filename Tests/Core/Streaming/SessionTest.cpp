#include "Core/Streaming/Session.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Model/Weights.h"
#include "Core/Streaming/StreamTools.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/ReferenceFrontend.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

using namespace earshot;
using namespace earshot::streaming;
using detection::Mode;
using test::eventually;
using test::historyOf;
using test::levelModel;

namespace {

std::vector<float> readAll(const std::filesystem::path& path) {
    audio::AudioFile file(path);
    std::vector<float> samples, block(4096);
    while (const std::size_t count = file.read(block))
        samples.insert(samples.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
    return samples;
}

// Pushes a whole recording in random blocks as an offline bounce does.
void bounce(Session& session, std::span<const float> samples, double rate, std::uint32_t seed) {
    std::mt19937 random(seed);
    session.prepare(rate, true);
    while (!samples.empty()) {
        const auto block = std::min<std::size_t>(random() % 3000, samples.size());
        session.pushAndWait(samples.first(block), {});
        samples = samples.subspan(block);
    }
    session.release();
}

void requireSameAsFile(const std::filesystem::path& file, const ModelLoader& loader, Mode mode, int hop) {
    CAPTURE(file, name(mode), hop);
    const tensor::ThreadCountScope one(1); // of a pass, as files are analysed and as sessions begin
    audio::AudioFile audio(file);
    const double rate = audio.sampleRate();
    LoadedModel model = loader();
    const double token = static_cast<double>(model.network->framesPerToken()) * model.frontend.hopSize /
                         model.frontend.sampleRate; // seconds
    detection::Analyzer analyzer(std::move(model.network), model.frontend, {.mode = mode, .hopTokens = hop});
    detection::analyzeFile(audio, analyzer, model.frontend.sampleRate);

    Session session;
    session.setSettings({.mode = mode, .hopSeconds = token * hop});
    session.setModel(loader);
    bounce(session, readAll(file), rate, 3);
    const auto history = historyOf(session);
    REQUIRE(session.status().state == State::finished);
    REQUIRE(session.status().droppedChunks == 0);
    REQUIRE(session.status().skippedWindows == 0);
    REQUIRE(history->timeline);
    REQUIRE(history->timeline->columns() == analyzer.timeline().columns());
    REQUIRE(history->timeline->settled() == analyzer.timeline().settled());
    REQUIRE(history->timeline->duration() == analyzer.timeline().duration());
    REQUIRE(test::allColumns(*history->timeline) == test::allColumns(analyzer.timeline()));
}

} // namespace

TEST_CASE("A bounce gives the columns that the file gives, bit for bit", "[unit][streaming]") {
    const test::TemporaryDirectory folder;
    for (const int rate : {32000, 44100}) {
        const auto file = folder / ("signal" + std::to_string(rate) + ".wav");
        test::writeAudio(file, test::AudioFormat::wavFloat, rate, 1,
                         test::testSignal(static_cast<std::size_t>(rate) * 25 + 777));
        for (const Mode mode : {Mode::automatic, Mode::crop, Mode::repeat})
            for (const int hop : {1, 3, 8}) requireSameAsFile(file, levelModel(), mode, hop);
    }
}

TEST_CASE("A bounce through the default model gives the columns of the file",
          "[slow][streaming][no-emulator][no-asan]") {
    const auto model = loaderFor(test::defaultModelFile());
    const auto demo = test::demoFile();
    requireSameAsFile(demo, model, Mode::automatic, 4);
    requireSameAsFile(demo, model, Mode::repeat, 8);
}

TEST_CASE("A session says what numbers its model computes with", "[unit][streaming]") {
    Session session;
    session.setModel(loaderFor(test::defaultModelFile()));
    bounce(session, std::vector<float>(1000), 32000.0, 1);
    const auto chosen = model::choosePrecision(model::Precision::automatic).precision;
    REQUIRE(session.status().precision == model::plainName(chosen));
}

TEST_CASE("A bounce goes on by itself and waits for the model", "[unit][streaming]") {
    std::atomic<bool> released = false;
    Session session;
    session.setModel([&] {
        while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return levelModel()();
    });
    REQUIRE(session.status().state == State::loading);
    const auto clip = test::testSignal(60 * 8000); // more than the ring holds
    std::thread bouncing([&] { bounce(session, clip, 8000.0, 1); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    released = true;
    bouncing.join();
    REQUIRE(session.status().heard == 60.0);
    const auto history = historyOf(session);
    REQUIRE(history->timeline->settled() == 188);
    REQUIRE(history->spectrogram.frames() == 6001);
    REQUIRE(history->labels->name(0) == "Loud");
}

TEST_CASE("In lockstep the listener has heard of all windows when a push returns, however fast the host is",
          "[unit][streaming]") {
    const double rate = 44100.0;
    const auto samples = test::testSignal(12 * 44100);
    const auto told = [&](int pausedMs) {
        std::mutex mutex;
        std::int64_t columns = 0;
        Session session;
        session.setListener([&](const Published& published) {
            const std::lock_guard lock(mutex);
            columns = published.timeline.columns();
        });
        session.setModel([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the first push waits for it
            return levelModel([] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); })();
        });
        session.setSettings({.hopSeconds = 0.64});
        session.prepare(rate, true);
        std::vector<std::int64_t> after;
        std::mt19937 random(3);
        for (std::span<const float> left = samples; !left.empty();) {
            const auto block = std::min<std::size_t>(random() % 9000, left.size());
            session.pushAndWait(left.first(block), {}, true);
            left = left.subspan(block);
            std::this_thread::sleep_for(std::chrono::milliseconds(pausedMs));
            const std::lock_guard lock(mutex);
            after.push_back(columns);
            const double pushed = static_cast<double>(samples.size() - left.size()) / rate;
            // A window waits for the frames that end in it, and the last column for its hop.
            CAPTURE(pushed);
            REQUIRE(static_cast<double>(columns) * 0.32 >= pushed - 0.64 - 0.1);
        }
        session.release();
        return after;
    };
    const auto fast = told(0);
    REQUIRE(fast == told(1));
    REQUIRE(fast.back() >= 35);
}

TEST_CASE("In lockstep a push ends with its stream, and where there is no model", "[unit][streaming]") {
    const std::vector<float> second(32000);
    Session session;
    session.setModel([](const StopToken& stop) -> LoadedModel {
        for (;;) {
            stop.check();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    session.prepare(32000.0, true);
    std::thread host([&] { session.pushAndWait(second, {}, true); });
    REQUIRE(eventually([&] { return session.status().heard == 1.0; }));
    session.leave();
    host.join();

    Session other;
    other.setModel([]() -> LoadedModel { throw Error("broken"); });
    other.prepare(32000.0, true);
    for (int i = 0; i < 10; ++i) other.pushAndWait(second, {}, true);
    REQUIRE(other.status().heard == 10.0);
    other.release();
}

TEST_CASE("A bounce ends in the time that it is given, and says what is missing", "[unit][streaming]") {
    constexpr double rate = 32000.0;
    const std::vector<float> noise = test::noise(static_cast<std::size_t>(5.0 * rate), 4);
    const auto ends = [](Session& session) {
        const auto begun = std::chrono::steady_clock::now();
        session.release(std::chrono::milliseconds(300));
        return std::chrono::steady_clock::now() - begun;
    };
    std::atomic<bool> slow = true;
    SECTION("a slow model") {
        Session session;
        session.setSettings({.hopSeconds = 0.32});
        session.setModel(levelModel([&] {
            for (int i = 0; i < 400 && slow; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }));
        session.prepare(rate, true);
        session.pushAndWait(noise, {});
        REQUIRE(ends(session) < std::chrono::seconds(4)); // all windows take 6 s
        const auto status = session.status();
        CHECK(status.skippedWindows > 0);
        CHECK(status.notAnalysed == 0.0); // the last window has them all
        CHECK(status.incomplete);
        CHECK(status.state == State::finished);
        CHECK(status.heard == Approx(5.0));
        // The next one counts anew.
        slow = false;
        session.prepare(rate, true);
        session.pushAndWait(noise, {});
        session.release();
        CHECK(session.status().skippedWindows == 0);
        CHECK_FALSE(session.status().incomplete);
    }
    SECTION("a model that does not load") {
        Session session;
        session.setModel([&](const StopToken& stop) {
            while (slow) {
                stop.alive();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return levelModel()(stop);
        });
        session.prepare(rate, true);
        session.pushAndWait(noise, {});
        CHECK(ends(session) < std::chrono::seconds(4));
        CHECK(session.status().notAnalysed == Approx(5.0));
        slow = false;
    }
    SECTION("a stream that is left") {
        Session session;
        session.setModel(levelModel([&] { // which never completes a pass before
            for (int i = 0; i < 400 && slow; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }));
        session.prepare(rate, false);
        session.push(noise, {});
        session.leave();
        CHECK(session.status().notAnalysed > 1.0);
        CHECK(session.status().notAnalysed < 5.1);
    }
}

TEST_CASE("A live stream's history keeps to its limit, and that of a bounce is kept whole",
          "[unit][streaming]") {
    const double rate = 32000.0;
    const auto samples = test::testSignal(25 * 60 * 32000);
    Session session;
    session.setSettings({.hopSeconds = 10.24, .historyBytes = 1});
    session.setModel(levelModel());
    bounce(session, samples, rate, 5);
    session.setSettings({.hopSeconds = 5.12, .historyBytes = 2}); // nor does it change afterwards
    REQUIRE(eventually([&] { return session.status().hopWanted == Approx(16 * 0.32); }));
    const auto whole = historyOf(session);
    REQUIRE(whole->timeline->columns() == 4688);
    REQUIRE(whole->timeline->firstKept() == 0);
    REQUIRE(whole->timeline->rounded() == 0);
    REQUIRE(whole->spectrogram.firstKept() == 0);
    REQUIRE(session.status().kept.limit == 0);

    session.setSettings({.hopSeconds = 10.24, .historyBytes = 1});
    session.prepare(rate, false);
    for (std::size_t i = 0; i < samples.size(); i += 32000)
        session.pushAndWait(std::span(samples).subspan(i, 32000), {});
    session.release();
    const auto kept = historyOf(session);
    REQUIRE(kept->timeline->columns() == 4688);
    REQUIRE(kept->timeline->firstKept() >= 4352); // the last whole chunk goes too
    REQUIRE(kept->spectrogram.firstKept() >= 4 * 4096 * 8 - 4096 * 8);
    REQUIRE(session.status().kept.limit == 1);
    REQUIRE(session.status().kept.columns.since ==
            Approx(kept->timeline->start(kept->timeline->firstKept())));
    // What is left is what was heard; a release leaves out what it cannot have quickly.
    for (auto i = kept->timeline->firstKept(); i < 4500; ++i)
        REQUIRE(std::ranges::equal(kept->timeline->column(i), whole->timeline->column(i)));
}
