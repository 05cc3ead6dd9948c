// A live stream gets another model, which hears again what was kept.
#include "Core/Streaming/Session.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <atomic>
#include <cmath>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

using namespace earshot;
using namespace earshot::streaming;
using test::columnsOf;
using test::eventually;
using test::historyOf;
using test::levelModel;

namespace {

constexpr int rate = 32000;

// Pushes as the audio thread does, and waits for the worker where the ring would be full.
void play(Session& session, std::span<const float> sound, double from = 0.0, bool hosted = false) {
    const std::size_t block = rate / 2;
    for (std::size_t at = 0; at < sound.size(); at += block) {
        const HostTime host{.playing = hosted, .seconds = from + static_cast<double>(at) / rate};
        session.push(sound.subspan(at, std::min(block, sound.size() - at)), host);
        const auto heard = session.status().heard;
        REQUIRE(eventually([&] {
            std::vector<float> samples;
            double start = 0.0;
            int kept = 0;
            return session.copyAudio(historyOf(session)->stream, heard - 1.0, heard, samples, start, kept) &&
                   start + static_cast<double>(samples.size()) / rate > heard - 1.0;
        }));
    }
}

// Class 0 of the level model says how loud each column is, whatever windows it was heard in.
std::vector<float> levels(const History& history) {
    std::vector<float> values;
    for (auto i = history.timeline->firstKept(); i < history.timeline->settled(); ++i)
        values.push_back(history.timeline->column(i)[0]);
    return values;
}

std::vector<float> levelsOf(std::span<const float> sound) {
    Session session;
    session.setModel(levelModel());
    session.prepare(rate, true);
    session.pushAndWait(sound, {});
    session.release();
    return levels(*historyOf(session));
}

// Half a second in two is loud.
std::vector<float> pulses(int seconds) {
    auto sound = test::noise(static_cast<std::size_t>(seconds) * rate, 3, 0.5f);
    for (std::size_t i = 0; i < sound.size(); ++i)
        if (i / (rate / 2) % 4 != 0) sound[i] *= 0.002f;
    return sound;
}

void requireClose(const std::vector<float>& found, const std::vector<float>& expected, std::size_t least) {
    REQUIRE(found.size() >= least);
    REQUIRE(found.size() <= expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CAPTURE(i);
        REQUIRE(std::abs(found[i] - expected[i]) < 0.02f); // 16 bits
    }
}

} // namespace

TEST_CASE("Another model hears again what was kept, and the stream goes on", "[unit][streaming]") {
    struct Call {
        bool restarted, ended;
        std::int64_t columns;
        double from;
    };
    std::mutex mutex;
    std::vector<Call> calls;
    Session session;
    session.setListener([&](const Published& published) {
        const std::lock_guard lock(mutex);
        calls.push_back({published.restarted, published.ended, published.timeline.columns(), published.from});
    });
    session.setKeepsAudio(true);
    session.setModel(levelModel({}, "first"));
    session.prepare(rate, false);
    REQUIRE(eventually([&] { return session.status().state == State::running; }));
    const auto sound = pulses(60);
    play(session, std::span(sound).first(40 * rate));
    const auto stream = historyOf(session)->stream;
    std::size_t before = 0;
    {
        const std::lock_guard lock(mutex);
        before = calls.size();
    }
    session.setModel(levelModel({}, "second"));
    REQUIRE(eventually([&] { return session.status().model == "second"; }));
    REQUIRE(eventually([&] { return columnsOf(session) >= 40 * 100 / 32 - 4; }));
    play(session, std::span(sound).subspan(40 * rate));
    REQUIRE(eventually([&] { return columnsOf(session) >= 60 * 100 / 32 - 4; }));
    CHECK(session.status().heard == 60.0);
    CHECK(session.status().message.empty());
    session.release();

    const auto history = historyOf(session);
    CHECK(history->stream != stream);
    requireClose(levels(*history), levelsOf(sound), 60 * 100 / 32 - 32);
    std::vector<float> kept;
    double start = -1.0;
    int keptRate = 0;
    REQUIRE(session.copyAudio(history->stream, 0.0, 100.0, kept, start, keptRate));
    CHECK(start == 0.0);
    CHECK(kept.size() == sound.size());

    // What was heard again is not told again: the first call says from where on it is news.
    REQUIRE(calls.size() > before + 1);
    std::size_t first = before;
    while (first < calls.size() && !calls[first].restarted) ++first;
    REQUIRE(first < calls.size());
    CHECK(calls[first].from > 39.0);
    CHECK(calls[first].from < 60.0);
    CHECK(calls[first].columns >= 39 * 100 / 32);
    CHECK(calls.back().ended);
}

TEST_CASE("What is heard again begins where kept audio begins", "[unit][streaming]") {
    Session session;
    session.setSettings({.historyBytes = 2'000'000}); // half a minute of audio and less
    session.setKeepsAudio(true);
    session.setModel(levelModel({}, "first"));
    session.prepare(rate, false);
    REQUIRE(eventually([&] { return session.status().state == State::running; }));
    const auto sound = pulses(60);
    play(session, sound, 500.0, true);
    REQUIRE(eventually([&] { return columnsOf(session) >= 60 * 100 / 32 - 4; }));
    const double since = session.status().kept.audio.since;
    REQUIRE(since > 10.0);
    session.setModel(levelModel({}, "second"));
    REQUIRE(eventually([&] { return session.status().model == "second"; }));
    // Until the new stream begins, the former one's columns are there.
    REQUIRE(eventually([&] { return session.status().heard == Approx(60.0 - since); }));
    const auto columns = static_cast<std::int64_t>((60.0 - since) * 100.0 / 32.0);
    REQUIRE(eventually([&] { return columnsOf(session) >= columns - 4; }));
    session.release();
    const auto history = historyOf(session);
    CHECK(history->times.host(0.0));
    CHECK(history->times.shown(0.0) == Approx(500.0 + since));
    CHECK(history->times.shown(5.0) == Approx(505.0 + since));
    const auto first = static_cast<std::size_t>(std::llround(since * rate));
    REQUIRE(history->timeline->firstKept() == 0);
    requireClose(levels(*history), levelsOf(std::span(sound).subspan(first)),
                 static_cast<std::size_t>(columns) - 34);
}

TEST_CASE("What a model missed that failed is heard by the next one", "[unit][streaming]") {
    Session session;
    session.setKeepsAudio(true);
    session.setModel(levelModel({}, "first"));
    session.prepare(rate, false);
    REQUIRE(eventually([&] { return session.status().state == State::running; }));
    const auto sound = pulses(30);
    play(session, std::span(sound).first(10 * rate));
    session.setModel([]() -> LoadedModel { throw std::runtime_error("It is broken"); });
    REQUIRE(eventually([&] { return session.status().state == State::failed; }));
    play(session, std::span(sound).subspan(10 * rate));
    session.setModel(levelModel({}, "third"));
    REQUIRE(eventually([&] { return columnsOf(session) >= 30 * 100 / 32 - 4; }));
    session.release();
    requireClose(levels(*historyOf(session)), levelsOf(sound), 30 * 100 / 32 - 32);
}

TEST_CASE("Whatever happens while kept audio is heard again, the stream goes on", "[unit][streaming]") {
    std::atomic<bool> slow = true;
    const auto pass = [&] {
        if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    };
    Session session;
    session.setKeepsAudio(true);
    session.setModel(levelModel({}, "first"));
    session.prepare(rate, false);
    REQUIRE(eventually([&] { return session.status().state == State::running; }));
    const auto sound = pulses(90);
    play(session, std::span(sound).first(60 * rate));
    session.setModel(levelModel(pass, "second"));
    REQUIRE(eventually([&] { return session.status().model == "second" && columnsOf(session) > 40; }));
    const int what = GENERATE(0, 1, 2, 3);
    CAPTURE(what);
    if (what == 0) session.setModel(levelModel({}, "third"));
    if (what == 1) session.setSettings({.hopSeconds = 0.64});
    if (what == 2) session.setKeepsAudio(false);
    if (what == 3) {
        session.release(); // in the middle
        CHECK(columnsOf(session) <= 61 * 100 / 32);
        CHECK(session.status().state == State::stopped);
        session.prepare(rate, false);
    }
    slow = false;
    for (std::size_t at = 60 * rate; at < sound.size(); at += rate) {
        session.push(std::span(sound).subspan(at, rate), {});
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    // A slow machine's ring may have been full.
    const auto isWhole = [&] { return session.status().droppedChunks == 0; };
    REQUIRE(eventually([&] { return !isWhole() || columnsOf(session) >= 90 * 100 / 32 - 4; }));
    session.release();
    // A stream that goes on begins with a column: 0.16 s are silent.
    const auto gap = what == 3 ? static_cast<std::size_t>(rate) * 4 / 25 : 0;
    CHECK(session.status().heard == Approx(90.0 + static_cast<double>(gap) / rate));
    auto whole = sound;
    whole.insert(whole.begin() + 60 * rate, gap, 0.0f);
    if (isWhole()) requireClose(levels(*historyOf(session)), levelsOf(whole), 90 * 100 / 32 - 32);
}

TEST_CASE("A model of another rate begins with nothing", "[unit][streaming]") {
    Session session;
    session.setKeepsAudio(true);
    session.setModel(levelModel());
    session.prepare(rate, false);
    REQUIRE(eventually([&] { return session.status().state == State::running; }));
    play(session, pulses(20));
    session.setModel([] {
        auto model = levelModel({}, "slow")();
        model.frontend.sampleRate = 16000;
        model.frontend.hopSize = 160;
        model.frontend.fftSize = 512;
        model.frontend.highHz = 8000.0;
        return model;
    });
    REQUIRE(eventually([&] { return session.status().model == "slow" && session.status().heard < 1.0; }));
    session.release();
    CHECK(columnsOf(session) <= 4);
}
