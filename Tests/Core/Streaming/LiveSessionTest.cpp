// A live stream: what a host does to it, on machines of any speed.
#include "Core/Base/Error.h"
#include "Core/Streaming/Session.h"
#include "Core/Streaming/StreamTools.h"
#include "Support/Catch.h"
#include "Support/RealtimeGuard.h"
#include "Support/ReferenceFrontend.h"
#include "Support/Skip.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace earshot;
using namespace earshot::streaming;
using detection::Mode;
using test::eventually;
using test::levelModel;

namespace {

constexpr double rate = 32000.0;

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

void push(Session& session, std::size_t samples, const HostTime& host = {}) {
    session.push(std::vector<float>(samples), host);
}

bool becomes(const Session& session, State state) {
    return eventually([&] { return session.status().state == state; });
}

std::int64_t columnsOf(const Session& session) {
    History history;
    session.copySince(history);
    return history.timeline ? history.timeline->columns() : 0;
}

} // namespace

TEST_CASE("A session says what state it is in", "[unit][streaming]") {
    Session session;
    REQUIRE(session.status().state == State::stopped);
    session.prepare(rate, false);
    REQUIRE(becomes(session, State::failed));
    REQUIRE_THAT(session.status().message, ContainsSubstring("No model"));
    push(session, 1000);
    session.setModel(levelModel());
    REQUIRE(becomes(session, State::running));
    REQUIRE(session.status().model == "level");
    REQUIRE(session.status().classes == 2);
    session.setModel([]() -> LoadedModel { throw Error("x.safetensors: not a model"); });
    REQUIRE(becomes(session, State::failed));
    REQUIRE(session.status().message == "x.safetensors: not a model");
    session.release();
    REQUIRE(session.status().state == State::failed);
    session.setModel(levelModel());
    REQUIRE(becomes(session, State::stopped));
    REQUIRE(session.status().message.empty());
    for (const double silly : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
        session.prepare(silly, false);
        REQUIRE(session.status().state == State::failed);
        REQUIRE_THAT(session.status().message, ContainsSubstring("Hz"));
        push(session, 100);
        session.release();
        REQUIRE(session.status().state == State::stopped);
    }
    session.prepare(rate, false);
    REQUIRE(becomes(session, State::running));
    session.release();
    session.release();
    REQUIRE(session.status().state == State::stopped);
}

TEST_CASE("A rate at which nothing can be heard is told until the next stream, whatever model comes",
          "[unit][streaming]") {
    Session session;
    std::atomic<bool> open = false;
    const auto slow = [&] {
        while (!open) pause(1);
        return levelModel()();
    };
    session.setModel(slow);
    REQUIRE(becomes(session, State::loading));
    session.prepare(500.0, false);
    const auto isRefused = [&] {
        const Status status = session.status();
        return status.state == State::failed && status.message.find("500 Hz") != std::string::npos;
    };
    REQUIRE(isRefused());
    open = true;
    REQUIRE(eventually([&] { return session.status().classes == 2; }));
    pause(20);
    REQUIRE(isRefused());
    session.setModel([]() -> LoadedModel { throw Error("x.safetensors: not a model"); });
    pause(20);
    REQUIRE(isRefused());
    session.release();
    REQUIRE(session.status().message == "x.safetensors: not a model");
    session.setModel(levelModel());
    session.prepare(500.0, false);
    session.prepare(rate, false);
    REQUIRE(becomes(session, State::running));
    REQUIRE(session.status().message.empty());
}

TEST_CASE("A model that fails while it runs is told, and another one takes over", "[unit][streaming]") {
    Session session;
    session.setModel(levelModel([] { throw Error("the model is damaged"); }));
    session.prepare(rate, false);
    push(session, 64000);
    REQUIRE(becomes(session, State::failed));
    REQUIRE(session.status().message == "the model is damaged");
    for (int i = 0; i < 300; ++i) { // thrown away, never full for good
        push(session, 32000);
        pause(1);
    }
    session.setModel(levelModel());
    REQUIRE(becomes(session, State::running));
    push(session, 64000);
    REQUIRE(eventually([&] { return columnsOf(session) >= 6; }));
    REQUIRE(session.status().heard < 300.0); // a new history
    session.release();
}

TEST_CASE("Labels are there before a stream runs, and the history after it", "[unit][streaming]") {
    Session session;
    History history;
    REQUIRE_FALSE(session.copySince(history));
    session.setModel(levelModel());
    REQUIRE(eventually([&] { return session.copySince(history); }));
    REQUIRE(history.labels->name(1) == "Late");
    REQUIRE(history.timeline->columns() == 0);
    const auto labelled = history.generation;
    session.prepare(rate, false);
    push(session, 100'000);
    session.release();
    REQUIRE(session.copySince(history));
    REQUIRE(history.generation != labelled);
    REQUIRE(history.timeline->columns() == 10);
    REQUIRE(history.timeline->settled() == 10);
    REQUIRE(history.timeline->duration() == 3.125);
    REQUIRE(history.spectrogram.frames() == 313);
    REQUIRE(session.status().heard == 3.125);
    REQUIRE_FALSE(session.copySince(history));
    session.prepare(rate, true);
    REQUIRE(eventually([&] {
        session.copySince(history);
        return history.timeline->columns() == 0;
    }));
}

TEST_CASE("The time shown follows the host's transport", "[unit][streaming]") {
    Session session;
    session.setModel(levelModel());
    session.prepare(rate, false);
    push(session, 32000);
    for (int i = 0; i < 20; ++i) push(session, 1600, {true, 60.0 + i * 0.05});
    for (int i = 0; i < 20; ++i) push(session, 1600, {true, 10.0 + i * 0.05});
    push(session, 3200);
    session.release();
    History history;
    session.copySince(history);
    REQUIRE(history.times.segments().size() == 3);
    REQUIRE(history.times.shown(0.5) == 0.5);
    REQUIRE(history.times.shown(1.5) == Approx(60.5));
    REQUIRE(history.times.shown(2.5) == Approx(10.5));
    REQUIRE(history.times.shown(3.05) == Approx(3.05));
    REQUIRE(history.times.host(2.9));
    REQUIRE_FALSE(history.times.host(3.05));
}

TEST_CASE("The listener hears of every history's beginning and end", "[unit][streaming]") {
    struct Call {
        bool restarted, ended;
        std::int64_t columns;
    };
    std::mutex mutex;
    std::vector<Call> calls;
    Session session;
    session.setListener([&](const Published& published) {
        const std::lock_guard lock(mutex);
        calls.push_back({published.restarted, published.ended, published.timeline.columns()});
        REQUIRE(published.labels.count() == 2);
        REQUIRE(published.heard > 0.0);
    });
    session.setModel(levelModel());
    session.prepare(rate, false);
    push(session, 64000);
    REQUIRE(eventually([&] { return columnsOf(session) == 6; }));
    session.setModel(levelModel({}, "other"));
    REQUIRE(eventually([&] { return session.status().model == "other"; }));
    push(session, 64000);
    session.release();
    std::size_t begun = 0;
    std::size_t ended = 0;
    bool running = false;
    for (const Call& call : calls) {
        REQUIRE(call.restarted == !running);
        running = !call.ended;
        begun += call.restarted;
        ended += call.ended;
    }
    REQUIRE(begun == 2);
    REQUIRE(ended == 2);
    REQUIRE(calls.back().columns == 7);
}

TEST_CASE("Mode and hop change while the stream goes on", "[unit][streaming]") {
    Session session;
    session.setModel(levelModel());
    session.setSettings({.mode = Mode::repeat, .hopSeconds = 0.64});
    session.prepare(rate, false);
    std::int64_t known = 0;
    for (const auto& [mode, hop] : {std::pair{Mode::crop, 1}, {Mode::repeat, 100}, {Mode::automatic, 3}}) {
        push(session, 80'000);
        REQUIRE(eventually([&] { return columnsOf(session) > known; }));
        known = columnsOf(session);
        session.setSettings({.mode = mode, .hopSeconds = 0.32 * hop});
        const double wanted = std::min(hop, mode == Mode::repeat ? 8 : 32) * 0.32;
        REQUIRE(eventually([&] { return std::abs(session.status().hopWanted - wanted) < 1e-9; }));
        REQUIRE(columnsOf(session) >= known);
    }
    session.release();
    REQUIRE(columnsOf(session) == 24);
    REQUIRE(session.status().heard == 7.5);
}

TEST_CASE("An automatic hop takes a small part of a core, and is no overload", "[unit][streaming]") {
    Session session;
    session.setModel(levelModel([] { pause(60); })); // 19 % of a hop of 0.32 s
    session.setSettings({.hopSeconds = 0.0});
    session.prepare(rate, false);
    REQUIRE(becomes(session, State::running));
    const auto sound = test::testSignal(100 * 32000); // silence takes no pass
    for (std::size_t i = 0; i < 100 && session.status().hop < 0.64; ++i) {
        session.push(std::span(sound).subspan(i * 32000, 32000), {});
        const auto known = columnsOf(session);
        REQUIRE(eventually([&] { return columnsOf(session) > known || session.status().hop >= 0.64; }));
    }
    REQUIRE(session.status().hop >= Approx(0.64));
    REQUIRE(session.status().hopWanted == session.status().hop);
    REQUIRE(session.status().state == State::running);
}

TEST_CASE("A full ring loses audio but no time", "[unit][streaming][no-emulator]") {
    std::atomic<bool> stuck = true;
    Session session;
    session.setModel(levelModel([&] {
        while (stuck) pause(1);
    }));
    session.prepare(rate, false);
    push(session, 64000); // a first pass, which gets stuck
    pause(50);
    for (int i = 0; i < 20; ++i) push(session, 32000); // 20 s into a ring of 6 s
    REQUIRE(session.status().heard == 22.0);
    stuck = false;
    REQUIRE(eventually([&] {
        push(session, 3200);
        const Status status = session.status();
        return static_cast<double>(columnsOf(session)) * 0.32 > status.heard - status.hop - 1.0;
    }));
    const auto dropped = session.status().droppedChunks;
    REQUIRE(dropped >= 13 * 32);
    // A burst after the gap lies where it sounded.
    push(session, 32000);
    const double at = session.status().heard;
    session.push(test::testSignal(10240), {});
    push(session, 32000);
    const double heard = session.status().heard;
    REQUIRE(heard == Approx(at + 1.32));
    session.release();
    REQUIRE(session.status().droppedChunks == dropped);
    History history;
    session.copySince(history);
    REQUIRE(history.timeline->duration() == Approx(heard));
    std::int64_t loudest = 0;
    for (std::int64_t i = 0; i < history.timeline->columns(); ++i)
        if (history.timeline->column(i)[0] > history.timeline->column(loudest)[0]) loudest = i;
    REQUIRE(std::abs(history.timeline->start(loudest) - at) <= 0.32);
}

TEST_CASE("A slow machine gets a longer hop, and the wanted one when it has room again",
          "[slow][streaming]") {
    std::atomic<int> passMilliseconds = 40;
    Session session;
    session.setModel(levelModel([&] { pause(passMilliseconds); }));
    session.prepare(rate, false);
    // Audio comes sixteen times as fast as it sounds, so that 40 ms are 0.64 s of it. It is no silence, which
    // would cost nothing.
    const auto sound = test::testSignal(1024 * 16 / 10);
    const auto playUntil = [&](const std::function<bool(const Status&)>& holds) {
        return eventually([&] {
            session.push(sound, {});
            pause(2);
            return holds(session.status());
        });
    };
    REQUIRE(playUntil([](const Status& status) { return status.state == State::overloaded; }));
    const Status slow = session.status();
    REQUIRE(slow.hop > slow.hopWanted);
    REQUIRE_FALSE(slow.message.empty());
    passMilliseconds = 2000; // even 10.24 s of audio come in less
    std::string message;     // of the very status that first counts a skipped window
    REQUIRE(playUntil([&](const Status& status) {
        message = status.message;
        return status.skippedWindows > 0;
    }));
    REQUIRE_THAT(message, ContainsSubstring("skipped"));
    passMilliseconds = 0;
    REQUIRE(playUntil([](const Status& status) { return status.state == State::running; }));
    REQUIRE(session.status().hop == session.status().hopWanted);
    const double heard = session.status().heard;
    session.release();
    History history;
    session.copySince(history);
    REQUIRE(history.timeline->duration() == Approx(heard));
    REQUIRE(history.timeline->settled() == history.timeline->columns());
}

TEST_CASE("Pushing allocates nothing, locks nothing and calls nothing that waits",
          "[unit][streaming][no-emulator]") {
    if (!test::RealtimeGuard::available()) return test::skip("not in this build");
    std::mt19937 random(4);
    for (const double sampleRate : {8000.0, 44100.0, 192000.0}) {
        Session session;
        session.setModel(levelModel([] { pause(1); }));
        const auto block = test::testSignal(20'000);
        std::vector<std::string> calls;
        session.prepare(sampleRate, false);
        for (int i = 0; i < 2000; ++i) {
            const auto samples = std::span(block).first(random() % (i % 50 == 0 ? 20'000 : 1000));
            const HostTime host{random() % 3 != 0, static_cast<double>(random() % 50)};
            if (i % 200 == 50) session.setModel(levelModel());
            if (i % 100 == 20) session.setSettings({.mode = Mode::repeat, .hopSeconds = 0.32 * (1 + i % 7)});
            if (i % 500 == 499) session.prepare(sampleRate, false);
            test::RealtimeGuard guard;
            session.push(samples, host);
            const auto found = guard.violations();
            calls.insert(calls.end(), found.begin(), found.end());
        }
        if (sampleRate == 8000.0) REQUIRE(session.status().heard > 0.0);
        REQUIRE(calls == std::vector<std::string>{});
    }
}

TEST_CASE("A session survives whatever a host does to it", "[slow][streaming]") {
    Session session;
    const auto slowly = [](int milliseconds) {
        return [=] {
            pause(milliseconds);
            return levelModel()();
        };
    };
    session.setModel(slowly(30));
    std::atomic<bool> done = false;
    std::thread viewModel([&] {
        History history;
        for (int i = 0; !done; ++i) {
            session.copySince(history);
            const Status status = session.status();
            if (history.timeline && history.timeline->columns() > 0)
                history.timeline->column(history.timeline->columns() - 1);
            if (i % 7 == 0)
                session.setSettings({.mode = static_cast<Mode>(i % 3), .hopSeconds = 0.32 * (1 + i % 9)});
            if (i % 40 == 0) session.setModel(slowly(i % 3));
            if (i % 60 == 0) session.setModel([]() -> LoadedModel { throw Error("broken"); });
            pause(1);
        }
    });
    const auto block = test::testSignal(4096);
    std::mt19937 random(12);
    for (int cycle = 0; cycle < 60; ++cycle) {
        const bool offline = cycle % 4 == 3;
        session.prepare(cycle % 9 == 8 ? 0.0 : 16000.0, offline);
        std::thread audio([&] {
            for (int i = 0; i < 40; ++i) {
                const auto samples = std::span(block).first(random() % 4096);
                const HostTime host{i % 5 != 0, i * 0.1};
                if (offline)
                    session.pushAndWait(samples, host, cycle % 8 == 7);
                else
                    session.push(samples, host);
                if (i % 10 == 0) pause(1);
            }
        });
        audio.join();
        if (cycle % 3 != 2) session.release();
    }
    session.setModel(levelModel());
    session.setSettings({});
    session.prepare(16000.0, true);
    session.pushAndWait(block, {});
    done = true;
    viewModel.join();
    session.setModel(levelModel());
    session.pushAndWait(block, {});
    session.release();
    REQUIRE(eventually([&] { return session.status().state == State::finished; }));
}

TEST_CASE("A host is held up neither by a model that loads nor by a file system that does not answer",
          "[unit][streaming]") {
    constexpr double soon = 3.0;               // seconds; a slow machine's patience with half a second
    for (const bool listens : {true, false}) { // to the wish to stop
        CAPTURE(listens);
        const auto loading = std::make_shared<std::atomic<int>>(0);
        const auto over = std::make_shared<std::atomic<bool>>(false);
        const auto slow = [=](const StopToken& stop) -> LoadedModel {
            ++*loading;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
            try {
                while (!*over && std::chrono::steady_clock::now() < end) {
                    if (listens) stop.check();
                    pause(1);
                }
            } catch (const Stopped&) {
                --*loading;
                throw;
            }
            --*loading;
            throw Error("slow.safetensors: was never read");
        };
        auto session = std::make_unique<Session>();
        session->setModel(slow);
        const auto takes = [](const auto& action) {
            const auto begun = std::chrono::steady_clock::now();
            action();
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        };
        for (const bool offline : {false, true}) {
            CHECK(takes([&] { session->prepare(rate, false); }) < soon);
            REQUIRE(eventually([&] { return *loading == 1; }));
            REQUIRE(session->status().state == State::loading);
            push(*session, 64000);
            // From a live stream to a bounce, or to another stream.
            CHECK(takes([&] { session->prepare(rate, offline); }) < soon);
            push(*session, 64000);
            if (!offline) CHECK(takes([&] { session->release(); }) < soon);
        }
        REQUIRE(*loading == 1); // still the one it began with
        // Another model at once, though nobody has waited for the first.
        session->setModel(levelModel());
        REQUIRE(becomes(*session, State::running));
        session->setModel(slow);
        REQUIRE(eventually([&] { return *loading == (listens ? 1 : 2); }));
        CHECK(takes([&] { session.reset(); }) < soon);
        *over = true;
        REQUIRE(eventually([&] { return *loading == 0; }));
    }
}

TEST_CASE("Whatever a loader, a model or a listener throws, a session goes on", "[unit][streaming]") {
    struct NoStandardException {};
    Session session;
    std::atomic<bool> deaf{false};
    session.setListener([&](const Published&) {
        if (deaf) throw NoStandardException();
    });
    session.prepare(rate, false);
    const std::vector<std::pair<ModelLoader, std::string>> broken{
        {[]() -> LoadedModel { throw NoStandardException(); }, "unknown kind"},
        {[]() -> LoadedModel { throw std::bad_alloc(); }, "not enough memory"},
        {levelModel([] { throw NoStandardException(); }), "unknown kind"},
        {levelModel([] { throw std::bad_alloc(); }), "not enough memory"},
        {levelModel([] { throw std::out_of_range("column 7"); }), "column 7"},
    };
    for (const auto& [loader, cause] : broken) {
        session.setModel(loader);
        INFO(cause);
        REQUIRE(eventually([&] { // the listener that throws may fail before, with the model before
            push(session, 32000);
            const auto status = session.status();
            return status.state == State::failed && status.message.find(cause) != std::string::npos;
        }));
        deaf = false;
        session.setModel(levelModel());
        REQUIRE(becomes(session, State::running));
        REQUIRE(eventually([&] {
            push(session, 32000);
            return columnsOf(session) > 0;
        }));
        deaf = true;
    }
    session.release();
}

TEST_CASE("A session may be destroyed at any time", "[unit][streaming]") {
    for (int round = 0; round < 40; ++round) {
        Session session;
        if (round % 2 == 0) session.setModel(levelModel([] { pause(1); }));
        if (round % 3 != 0) session.prepare(rate, round % 5 == 0);
        if (round % 5 != 0) push(session, 100'000);
        if (round % 7 == 0) pause(3);
    }
}
