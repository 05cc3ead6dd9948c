#include "Plugin/App/InputWatch.h"

#include "Support/Catch.h"

#include <map>

using earshot::plugin::InputWatch;
using Change = InputWatch::Change;

namespace {

constexpr double step = 0.2; // seconds between polls

// What poll() said in a stretch of time, and how often.
std::map<Change, int> pollUntil(InputWatch& watch, double& now, double until, bool open, bool blocks) {
    std::map<Change, int> said;
    for (; now < until; now += step) {
        if (blocks) watch.blockCame();
        ++said[watch.poll(open, now)];
    }
    return said;
}

} // namespace

TEST_CASE("a device that gives no blocks is gone after two seconds, and is tried until it gives some",
          "[unit]") {
    for (const bool staysOpen : {true, false}) { // ALSA leaves a dead device open, JACK closes it
        CAPTURE(staysOpen);
        InputWatch watch;
        double now = 100.0;
        CHECK(pollUntil(watch, now, 110.0, true, true)[Change::none] >= 49);
        auto said =
            pollUntil(watch, now, 110.0 + (staysOpen ? InputWatch::silentFor - step : 0.0), staysOpen, false);
        CHECK(said[Change::gone] == 0);
        said = pollUntil(watch, now, now + 2.5 * step, staysOpen, false);
        CHECK(said[Change::gone] == 1);
        CHECK(watch.goneSince().value() == Approx(110.0).margin(2 * step));
        said = pollUntil(watch, now, now + 10.0, false, false);
        CHECK(said[Change::gone] == 0);
        CHECK(said[Change::open] == 5);
        said = pollUntil(watch, now, now + 1.0, true, true);
        CHECK(said[Change::back] == 1);
        CHECK_FALSE(watch.isGone());
        CHECK(pollUntil(watch, now, now + 10.0, true, true)[Change::none] >= 49);
    }
}

TEST_CASE("a device that was opened and gives nothing is tried again", "[unit]") {
    InputWatch watch;
    double now = 0.0;
    pollUntil(watch, now, 1.0, true, true);
    pollUntil(watch, now, 5.0, true, false);
    REQUIRE(watch.isGone());
    auto said = pollUntil(watch, now, 25.0, true, false);
    CHECK(said[Change::open] >= 9);
    CHECK(said[Change::back] == 0);
}

TEST_CASE("a device that never ran, or was changed on purpose, is not watched before its first block",
          "[unit]") {
    InputWatch watch;
    double now = 0.0;
    CHECK(pollUntil(watch, now, 60.0, false, false)[Change::none] >= 299);
    pollUntil(watch, now, 70.0, true, true);
    watch.forget();
    CHECK(pollUntil(watch, now, 130.0, false, false)[Change::none] >= 299);
    pollUntil(watch, now, 140.0, true, true);
    CHECK(pollUntil(watch, now, 150.0, true, false)[Change::gone] == 1);
    watch.forget();
    CHECK_FALSE(watch.isGone());
}
