// State and work in the background whose starter never waits.
#include "Core/Base/JobQueue.h"
#include "Core/Base/LatestJob.h"
#include "Core/Base/Log.h"
#include "Core/Base/Synchronized.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Waiting.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace earshot;
using namespace std::chrono_literals;
using test::eventually;

namespace {

// A disk that does not answer until the test lets it.
struct HungDisk {
    std::atomic<bool> answers = false;
    std::atomic<int> waiting = 0;

    void read() {
        ++waiting;
        while (!answers) std::this_thread::sleep_for(1ms);
        --waiting;
    }
};

double secondsOf(const std::function<void()>& action) {
    const auto begun = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

} // namespace

TEST_CASE("threads that share a value lose no change of it", "[unit][threads]") {
    Synchronized<std::vector<int>> numbers(std::vector<int>{0});
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i)
                numbers.with([](std::vector<int>& all) { all.push_back(all.back() + 1); });
        });
    for (auto& thread : threads) thread.join();
    const auto all = numbers.copy();
    REQUIRE(all.size() == 4001);
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == static_cast<int>(i));
    const auto& read = numbers;
    CHECK(read.with([](const std::vector<int>& values) { return values.back(); }) == 4000);
}

TEST_CASE("of work where the newest counts, former pieces stop, and whoever starts it waits for none",
          "[unit][threads]") {
    const auto disk = std::make_shared<HungDisk>();
    std::atomic<bool> stopped = false;
    {
        LatestJob job;
        job.start([&](const StopToken& stop) {
            while (!stop.requested()) std::this_thread::sleep_for(1ms);
            stopped = true;
        });
        // Ten that hang; waiting for each as a BackgroundThread does would take four seconds.
        CHECK(secondsOf([&] {
                  for (int i = 0; i < 10; ++i) job.start([disk](const StopToken&) { disk->read(); });
              }) < 3.0);
        REQUIRE(eventually([&] { return stopped && disk->waiting == 10; }));
        std::atomic<bool> done = false;
        job.start([&](const StopToken&) { done = true; });
        REQUIRE(eventually([&] { return done && !job.running(); }));
    }
    CHECK(disk->waiting == 10); // they were left behind in the end
    disk->answers = true;
    REQUIRE(eventually([&] { return disk->waiting == 0; }));
}

TEST_CASE("queued work is done in order, and whoever adds to it waits for no disk", "[unit][threads]") {
    const auto disk = std::make_shared<HungDisk>();
    const auto order = std::make_shared<Synchronized<std::vector<int>>>();
    {
        JobQueue queue;
        CHECK_FALSE(queue.busy());
        queue.add([disk] { disk->read(); });
        CHECK(secondsOf([&] {
                  for (int i = 0; i < 20; ++i)
                      queue.add([order, i] {
                          if (i == 3) throw std::runtime_error("ends this piece alone");
                          order->with([&](std::vector<int>& all) { all.push_back(i); });
                      });
              }) < 3.0);
        REQUIRE(eventually([&] { return disk->waiting == 1; }));
        CHECK(queue.busy());
        CHECK(order->copy().empty());
    }
    disk->answers = true; // what was added is done even now
    REQUIRE(eventually([&] { return order->copy().size() == 19; }));
    const auto all = order->copy();
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == static_cast<int>(i < 3 ? i : i + 1));
}

TEST_CASE("whatever a queued piece throws is logged, and the queue goes on", "[unit][log]") {
    const test::TemporaryDirectory folder;
    std::atomic<bool> done = false;
    {
        const LogSession session("test", folder / "log", LogSession::Start::withFirstMessage);
        JobQueue queue;
        queue.add([] { throw std::runtime_error("clips/bell.flac: no space left"); });
        queue.add([] { throw 7; });
        queue.add([&] { done = true; });
        REQUIRE(eventually([&] { return done && !queue.busy(); }));
        LatestJob job;
        job.start([](const StopToken&) { throw std::runtime_error("model.ckpt: is empty"); });
        REQUIRE(eventually([&] { return !job.running(); }));
    }
    const auto log = test::readBytes(folder / "log");
    CHECK_THAT(log, ContainsSubstring("clips/bell.flac: no space left\n") &&
                        ContainsSubstring("an exception of unknown kind\n") &&
                        ContainsSubstring("model.ckpt: is empty\n"));
}

TEST_CASE("a queue that is idle begins again", "[unit][threads]") {
    JobQueue queue;
    int done = 0;
    for (int i = 1; i <= 50; ++i) {
        queue.add([&] { ++done; });
        REQUIRE(eventually([&] { return !queue.busy(); }));
        REQUIRE(done == i);
    }
}
