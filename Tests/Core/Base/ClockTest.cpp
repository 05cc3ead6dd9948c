#include "Core/Base/Clock.h"

#include "Support/Catch.h"

#include <cmath>

using namespace earshot;

TEST_CASE("clocks round before they carry, and have hours from an hour on", "[unit]") {
    REQUIRE(clockReading(0.0) == "0:00");
    REQUIRE(clockReading(5.25, {.decimals = 1}) == "0:05.3");
    REQUIRE(clockReading(59.96, {.decimals = 1}) == "1:00.0");
    REQUIRE(clockReading(3599.6) == "1:00:00");
    REQUIRE(clockReading(86400.0) == "24:00:00");
    REQUIRE(clockReading(0.4) == "0:00");
    REQUIRE(clockReading(59.6) == "1:00");
    REQUIRE(clockReading(785.0) == "13:05");
    REQUIRE(clockReading(3723.0) == "1:02:03");
    REQUIRE(clockReading(-1.5, {.decimals = 1}) == "-0:01.5");
    REQUIRE(clockReading(-0.01) == "0:00");
    REQUIRE(clockReading(5.0, {.hours = true}) == "0:00:05");
    REQUIRE(clockReading(62.9, {.decimals = 1, .wideMinutes = true}) == "01:02.9");
    REQUIRE(clockReading(3.1536e10, {.decimals = 3}) == "8760000:00:00.000");
    REQUIRE(clockReading(std::nan("")) == "--:--");
}

TEST_CASE("ticks are round, apart from one another and within the recording", "[unit]") {
    for (const double seconds : {0.05, 0.5, 2.0, 35.0, 600.0, 3600.0, 86400.0, 1e6}) {
        INFO(seconds << " s");
        const auto ticks = timeTicks(seconds, 1400.0, 100.0);
        REQUIRE(ticks.size() >= 3);
        REQUIRE(ticks.size() <= 15);
        REQUIRE(ticks.front().x == 0.0);
        REQUIRE(ticks.back().x <= 1400.0);
        for (std::size_t i = 1; i < ticks.size(); ++i) {
            REQUIRE(ticks[i].x - ticks[i - 1].x >= 99.9);
            REQUIRE(ticks[i].text != ticks[i - 1].text);
        }
    }
    REQUIRE(timeTicks(0.0, 1400.0, 100.0).empty());
    REQUIRE(timeTicks(86400.0, 1400.0, 100.0)[1].text == "2:00:00");
    REQUIRE(timeTicks(7200.0, 1400.0, 100.0)[1].text == "0:10:00");
    REQUIRE(timeTicks(60.0, 1400.0, 100.0)[1].text == "0:05");
    REQUIRE(timeTicks(0.5, 1400.0, 100.0)[1].text == "0:00.05");
}

TEST_CASE("steps are round, wide enough, and not below the shortest", "[unit]") {
    for (const double pixels : {1e-4, 0.01, 0.3, 7.0, 120.0, 4000.0})
        for (const double shortest : {0.0, 0.5, 60.0}) {
            const double step = roundStep(pixels, 90.0, shortest);
            REQUIRE(step * pixels >= 90.0 * (1.0 - 1e-12));
            REQUIRE(step >= shortest);
        }
    REQUIRE(roundStep(10.0, 90.0) == 10.0);
    REQUIRE(roundStep(1000.0, 90.0) == 0.1);
    REQUIRE(roundStep(1000.0, 90.0, 0.5) == 0.5);
}
