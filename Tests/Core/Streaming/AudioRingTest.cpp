#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/TimeMap.h"

#include "Support/Catch.h"

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <thread>
#include <vector>

using earshot::streaming::AudioRing;
using earshot::streaming::HostTime;
using earshot::streaming::TimeMap;

namespace {

// Samples are their own positions, so that whoever takes them knows where they belong.
class Pusher {
  public:
    explicit Pusher(AudioRing& ring)
        : ring_(ring) {}

    void push(std::size_t count, const HostTime& host = {}) {
        std::vector<float> block(count);
        for (float& sample : block) sample = static_cast<float>(position_++);
        ring_.push(block, host);
    }
    std::int64_t position() const { return position_; }

  private:
    AudioRing& ring_;
    std::int64_t position_ = 0;
};

// Takes everything there is; every sample must lie where it was pushed.
struct Taker {
    std::int64_t position = 0;
    std::int64_t gaps = 0;
    std::vector<std::pair<std::int64_t, HostTime>> hosts;

    bool take(AudioRing& ring) {
        const auto part = ring.pop();
        if (!part) return false;
        position += part->gap;
        gaps += part->gap;
        if (part->host) hosts.emplace_back(position, *part->host);
        for (const float sample : part->samples)
            if (sample != static_cast<float>(position++)) return wrong = true;
        return true;
    }
    bool wrong = false;
};

} // namespace

TEST_CASE("Every sample comes out where it went in, gaps included, for any blocks", "[unit][streaming]") {
    std::mt19937 random(6);
    AudioRing ring(8000.0, 1.0);
    Pusher pusher(ring);
    Taker taker;
    for (int i = 0; i < 3000; ++i) {
        pusher.push(random() % (random() % 10 == 0 ? 5000 : 300));
        for (auto times = random() % (i / 500 % 2 == 0 ? 4 : 2); times > 0; --times) taker.take(ring);
        REQUIRE(ring.position() == pusher.position());
    }
    while (taker.take(ring)) {
    }
    REQUIRE_FALSE(taker.wrong);
    REQUIRE(ring.dropped() > 0);
    REQUIRE(taker.gaps > 0);
    pusher.push(1);
    taker.take(ring);
    REQUIRE(taker.position == pusher.position());
    REQUIRE_FALSE(taker.wrong);
}

TEST_CASE("The ring holds its seconds and waits for room when asked to", "[unit][streaming]") {
    AudioRing ring(1000.0, 6.0);
    const std::vector<float> chunk(500);
    int chunks = 0;
    while (ring.tryPush(chunk, {})) ++chunks;
    REQUIRE(chunks >= 12);
    REQUIRE(ring.position() == chunks * 500);
    REQUIRE(ring.dropped() == 0);
    REQUIRE(ring.pop());
    REQUIRE(ring.tryPush(chunk, {}));
}

TEST_CASE("The transport is told where it starts, jumps, loops and stops, and nowhere else",
          "[unit][streaming]") {
    AudioRing ring(8000.0, 4.0);
    Pusher pusher(ring);
    Taker taker;
    const auto seconds = [&] { return static_cast<double>(pusher.position()) / 8000.0; };
    for (const std::size_t block : {100, 0, 700}) pusher.push(block); // stopped from the beginning
    for (const std::size_t block : {64, 1, 2000, 333})                // plays; hosts are a little off
        pusher.push(block, {true, 5.0 + seconds() - 0.1 + (block == 1 ? 0.002 : 0.0)});
    pusher.push(0, {true, 77.0}); // no samples, no news
    REQUIRE(pusher.position() == 3198);
    for (int i = 0; i < 3; ++i) pusher.push(500, {true, 1.0 + i * 0.0625}); // jumped back
    pusher.push(10, {true, std::numeric_limits<double>::quiet_NaN()});      // counts as stopped
    pusher.push(10, {false, 123.0});
    while (taker.take(ring)) {
    }
    REQUIRE_FALSE(taker.wrong);
    REQUIRE(taker.hosts.size() == 3);
    REQUIRE(taker.hosts[0].first == 800);
    REQUIRE(taker.hosts[0].second.seconds == Approx(5.0));
    REQUIRE(taker.hosts[1].first == 3198);
    REQUIRE(taker.hosts[1].second.seconds == 1.0);
    REQUIRE(taker.hosts[2].first == 4698);
    REQUIRE_FALSE(taker.hosts[2].second.playing);
}

TEST_CASE("A transport that jumps with every block loses no audio", "[unit][streaming]") {
    AudioRing ring(48000.0, 6.0);
    Pusher pusher(ring);
    for (int i = 0; i < 5000; ++i) pusher.push(16, {true, static_cast<double>(i % 7) * 10.0});
    REQUIRE(ring.dropped() == 0);
    Taker taker;
    while (taker.take(ring)) {
    }
    REQUIRE_FALSE(taker.wrong);
    REQUIRE(taker.position == pusher.position());
    REQUIRE(taker.hosts.size() >= 1000);
}

TEST_CASE("A transport at any play rate is told with few marks, and to a tenth of a second",
          "[unit][streaming]") {
    constexpr double rate = 8000.0;
    std::mt19937 random(3);
    for (const std::size_t longest : {16, 300, 800}) {
        CAPTURE(longest);
        AudioRing ring(rate, 1.0);
        Pusher pusher(ring);
        Taker taker;
        TimeMap map;
        double host = 50.0;
        std::size_t changes = 1;
        const auto now = [&] { return static_cast<double>(pusher.position()) / rate; };
        const auto play = [&](double length, auto&& speedAt) {
            const double begin = now();
            while (now() < begin + length) {
                const double at = now();
                pusher.push(1 + random() % longest, {true, host});
                for (; taker.take(ring); taker.hosts.clear())
                    for (const auto& [position, time] : taker.hosts)
                        map.add({.stream = static_cast<double>(position) / rate,
                                 .shown = time.seconds,
                                 .host = true,
                                 .rate = time.rate});
                REQUIRE(std::abs(map.shown(at) - host) < 0.1);
                host += speedAt(at - begin) * (now() - at);
            }
        };
        for (const double speed : {0.5, 1.0, 2.0, 0.999, 0.0, 0.25, -1.0, 1.3}) {
            play(40.0, [&](double) { return speed; });
            changes += 3;
            REQUIRE(map.segments().size() <= changes);
        }
        const auto jumps = [&] {
            std::size_t count = 0;
            const auto segments = map.segments();
            for (std::size_t i = 1; i < segments.size(); ++i) count += segments[i].jumpsFrom(segments[i - 1]);
            return count;
        };
        REQUIRE(jumps() == 0);
        for (int loop = 1; loop <= 5; ++loop) {
            host -= 1.0;
            play(2.0, [](double) { return 0.5; });
            REQUIRE(jumps() == static_cast<std::size_t>(loop));
        }
        // A hand on the wheel, for five minutes.
        const auto before = map.segments().size();
        play(300.0, [](double at) { return 1.0 + 0.1 * std::sin(3.0 * at) + 0.3 * std::sin(0.2 * at); });
        REQUIRE(map.segments().size() - before < 600);
        REQUIRE(jumps() == 5);
        REQUIRE(ring.dropped() == 0);
        REQUIRE_FALSE(taker.wrong);
    }
}

TEST_CASE("Two threads share the ring", "[unit][streaming]") {
    AudioRing ring(8000.0, 0.2);
    Taker taker;
    std::atomic<bool> done = false;
    std::thread worker([&] {
        for (bool last = false; !last;) {
            last = done;
            while (taker.take(ring)) {
            }
        }
    });
    Pusher pusher(ring);
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        pusher.push(random() % 200, {i / 100 % 2 == 0, static_cast<double>(pusher.position()) / 8000.0});
        if (i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    done = true;
    worker.join();
    REQUIRE_FALSE(taker.wrong);
    REQUIRE(taker.position <= pusher.position());
    REQUIRE(taker.hosts.size() > 1);
}
