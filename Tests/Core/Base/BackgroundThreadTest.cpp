#include "Core/Base/BackgroundThread.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include "Core/Base/Log.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace earshot;
using namespace std::chrono_literals;

namespace {

// What hears of no stop, as a thread does that waits for the kernel: shared, as it outlives whoever started
// it.
struct Silence {
    std::atomic<bool> over{false};
    std::atomic<bool> left{false};

    void wait() {
        while (!over) std::this_thread::sleep_for(1ms);
        left = true;
    }
    void endIt() {
        over = true;
        while (!left) std::this_thread::sleep_for(1ms);
    }
};

double secondsOf(const std::function<void()>& action) {
    const auto begun = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

} // namespace

TEST_CASE("work that looks whether it is to stop ends at once", "[unit][threads]") {
    std::atomic<int> steps{0};
    std::atomic<bool> stopped{false};
    BackgroundThread job([&](const StopToken& stop) {
        try {
            for (;; ++steps) {
                stop.check();
                std::this_thread::sleep_for(1ms);
            }
        } catch (const Stopped&) {
            stopped = true;
            throw;
        }
    });
    while (steps < 5) std::this_thread::sleep_for(1ms);
    REQUIRE(job.running());
    REQUIRE(secondsOf([&] { REQUIRE(job.end()); }) < 3.0);
    REQUIRE(stopped);
    REQUIRE_FALSE(job.running());
    REQUIRE(job.end()); // again
}

TEST_CASE("what work throws ends it and nothing else, and is logged", "[unit][threads][log]") {
    const test::TemporaryDirectory folder;
    {
        const LogSession session("test", folder / "log", LogSession::Start::withFirstMessage);
        BackgroundThread job([](const StopToken&) { throw std::runtime_error("the disk is on fire"); });
        BackgroundThread odd([](const StopToken&) { throw 42; });
        BackgroundThread stopped([](const StopToken&) { throw Stopped(); });
        while (job.running() || odd.running() || stopped.running()) std::this_thread::sleep_for(1ms);
    }
    const auto log = test::readBytes(folder / "log");
    CHECK_THAT(log, ContainsSubstring("a background thread: the disk is on fire\n"));
    CHECK_THAT(log, ContainsSubstring("a background thread: an exception of unknown kind\n"));
    CHECK(std::ranges::count(log, '\n') == 4); // with the file's line and the run's
    REQUIRE(BackgroundThread().end());
    REQUIRE_FALSE(BackgroundThread().running());
}

TEST_CASE("work that hears of nothing is left behind, and keeps what it owns", "[unit][threads]") {
    const auto silence = std::make_shared<Silence>();
    std::weak_ptr<int> owned;
    {
        auto value = std::make_shared<int>(7);
        owned = value;
        BackgroundThread job([silence, value](const StopToken&) { silence->wait(); });
        value.reset();
        REQUIRE(secondsOf([&] { REQUIRE_FALSE(job.end()); }) < 3.0);
    }
    REQUIRE_FALSE(owned.expired());
    silence->endIt();
    while (!owned.expired()) std::this_thread::sleep_for(1ms);
}

TEST_CASE("work that computes is waited for, however long", "[unit][threads]") {
    bool finished = false;
    std::atomic<bool> computes{false};
    BackgroundThread job([&](const StopToken& stop) {
        const StopToken::Computing computing(stop);
        computes = true;
        std::this_thread::sleep_for(2 * BackgroundThread::patience);
        finished = true;
    });
    while (!computes) std::this_thread::sleep_for(1ms);
    REQUIRE(job.end());
    REQUIRE(finished);
}

TEST_CASE("a library whose thread was left behind stays in memory when it is unloaded",
          "[unit][no-emulator][threads]") {
    void* const library = dlopen(EARSHOT_LEFT_BEHIND, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    using LeaveBehind = void (*)(std::atomic<bool>*, std::atomic<bool>*);
    const auto leaveBehind = reinterpret_cast<LeaveBehind>(dlsym(library, "leaveBehind"));
    REQUIRE(leaveBehind != nullptr);
    std::atomic<bool> answers{false};
    std::atomic<bool> done{false};
    leaveBehind(&answers, &done);
    REQUIRE_FALSE(done);
    dlclose(library);
    void* const still = dlopen(EARSHOT_LEFT_BEHIND, RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(still != nullptr);
    dlclose(still);
    answers = true; // its code goes on
    while (!done) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms); // out of it
}
