#include "Core/Streaming/Meters.h"

#include "Support/Catch.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace earshot::streaming;
using namespace std::chrono_literals;

TEST_CASE("Delays are told by quantiles of the newest columns", "[unit][streaming]") {
    DelayMeter meter;
    REQUIRE(meter.quantile(0.5) == 0.0);
    std::mt19937 random(3);
    std::vector<double> all;
    for (int i = 0; i < 300; ++i) {
        all.push_back(static_cast<double>(random() % 1000));
        meter.add(all.back());
        auto newest = std::vector(all.end() - std::min<std::ptrdiff_t>(64, i + 1), all.end());
        std::ranges::sort(newest);
        for (const double share : {0.0, 0.5, 0.95, 1.0}) {
            const double value = meter.quantile(share);
            const auto atMost = static_cast<double>(std::ranges::upper_bound(newest, value) - newest.begin());
            REQUIRE(atMost >= share * static_cast<double>(newest.size()));
            const auto below = static_cast<double>(std::ranges::lower_bound(newest, value) - newest.begin());
            REQUIRE((below == 0.0 || below < share * static_cast<double>(newest.size())));
        }
    }
    meter.reset();
    REQUIRE(meter.quantile(0.95) == 0.0);
}

TEST_CASE("Load is the busy share of the last seconds", "[unit][streaming]") {
    LoadMeter meter;
    LoadMeter::Clock::time_point now{};
    meter.reset(now);
    REQUIRE(meter.load() == 0.0);
    const auto run = [&](double share, int steps) {
        for (int i = 0; i < steps; ++i) {
            now += 10ms;
            meter.busy(std::chrono::duration_cast<LoadMeter::Clock::duration>(10ms * share));
            meter.tick(now);
        }
    };
    run(0.25, 1000);
    REQUIRE(meter.load() == Approx(0.25).margin(1e-6));
    run(1.0, 1000);
    REQUIRE(meter.load() == Approx(1.0).margin(1e-6));
    run(0.0, 1000);
    REQUIRE(meter.load() == 0.0);
}
