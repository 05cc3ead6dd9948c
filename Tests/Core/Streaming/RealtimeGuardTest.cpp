// The guard itself counts; what it guards is tested where it lives.
#include "Support/RealtimeGuard.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <unistd.h>

using earshot::test::RealtimeGuard;
using Calls = std::vector<std::string>;

namespace {

Calls callsOf(const std::function<void()>& action) {
    RealtimeGuard guard;
    action();
    return guard.violations();
}

bool calls(const std::function<void()>& action, const std::string& name) {
    const Calls found = callsOf(action);
    return std::ranges::find(found, name) != found.end();
}

} // namespace

TEST_CASE("The real-time guard counts what an audio thread must not do", "[unit][streaming][no-emulator]") {
    if (!RealtimeGuard::available()) return earshot::test::skip("not in this build");
    void* volatile memory = nullptr;
    REQUIRE(calls([&] { memory = std::malloc(100); }, "malloc"));
    REQUIRE(calls([&] { memory = std::realloc(memory, 200); }, "realloc"));
    REQUIRE(calls([&] { std::free(memory); }, "free"));
    REQUIRE(calls([&] { memory = std::calloc(3, 5); }, "calloc"));
    std::free(memory);
    REQUIRE(calls([&] { memory = std::aligned_alloc(64, 128); }, "aligned_alloc"));
    std::free(memory);
    std::vector<float> grown;
    REQUIRE_FALSE(callsOf([&] { grown.resize(1000); }).empty());
    REQUIRE(grown.size() == 1000);

    std::mutex mutex;
    REQUIRE(calls([&] { const std::lock_guard lock(mutex); }, "pthread_mutex_lock"));
    REQUIRE(calls(
        [&] {
            if (mutex.try_lock()) mutex.unlock();
        },
        "pthread_mutex_trylock"));
    std::shared_mutex shared;
#ifdef _LIBCPP_VERSION
    const auto* const sharing = "pthread_mutex_lock"; // libc++ makes this lock of a mutex
#else
    const auto* const sharing = "pthread_rwlock_rdlock";
#endif
    REQUIRE(calls([&] { const std::shared_lock lock(shared); }, sharing));
    std::condition_variable condition;
    std::atomic<int> number = 0;
    std::thread waiting([&] {
        std::unique_lock lock(mutex);
        condition.wait(lock, [&] { return number == 1; });
    });
    REQUIRE(calls(
        [&] {
            {
                const std::lock_guard lock(mutex);
                number = 1;
            }
            condition.notify_all();
        },
        "pthread_cond_broadcast"));
    waiting.join();
    REQUIRE_FALSE(callsOf([&] { std::this_thread::sleep_for(std::chrono::microseconds(1)); }).empty());
    REQUIRE(calls([&] { std::this_thread::yield(); }, "sched_yield"));
    REQUIRE(calls([&] { REQUIRE(::write(STDOUT_FILENO, "", 0) == 0); }, "write"));
}

TEST_CASE("The real-time guard finds a line for the log", "[unit][streaming][log][no-emulator]") {
    if (!RealtimeGuard::available()) return earshot::test::skip("not in this build");
    const earshot::test::TemporaryDirectory folder;
    REQUIRE(calls([] { earshot::logMessage("without a log"); }, "pthread_mutex_lock"));
    const earshot::LogSession session("test", folder / "log", earshot::LogSession::Start::withFirstMessage);
    REQUIRE(calls([] { earshot::logMessage("a block was late"); }, "malloc"));
    const auto failed = [] {
        try {
            throw earshot::Error("a block was late");
        } catch (const earshot::Error&) {
            earshot::logCaught("the audio thread");
        }
    };
    REQUIRE(calls(failed, "pthread_mutex_lock"));
}

TEST_CASE("The real-time guard counts nothing else, and only on its own thread",
          "[unit][streaming][no-emulator]") {
    std::atomic<int> number = 0;
    std::vector<double> values(100);
    REQUIRE(callsOf([&] {
                for (double& value : values) value = std::sqrt(static_cast<double>(++number));
            }) == Calls{});
    std::atomic<bool> ready = false;
    std::atomic<bool> done = false;
    std::thread other([&] {
        while (!ready) std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) std::make_unique<int>(i).reset();
        done = true;
    });
    REQUIRE(callsOf([&] {
                ready = true;
                while (!done) {
                }
            }) == Calls{});
    other.join();
    delete new int; // after the guard is gone
    REQUIRE(callsOf([] {}) == Calls{});
}
