// Times of day in the views, of recordings that say when they began.
#include "Support/Catch.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/Ruler.h"

using namespace earshot;
using ui::clockText;

namespace {

const WallTime night = *parseWallTime("2026-10-25T23:59:30.250-05:00");

} // namespace

TEST_CASE("a time is one of day where it is known when the recording began", "[unit]") {
    CHECK(clockText(night, 0.0) == "23:59:30.3");
    CHECK(clockText(night, 29.75, 0) == "00:00:00");
    CHECK(clockText(night, 29.74, 2) == "23:59:59.99");
    CHECK(clockText(std::optional(night), 60.0, 0) == "00:00:30");
    CHECK(clockText(std::optional<WallTime>(), 62.9) == "01:02.9");
}

TEST_CASE("ticks stand at round times of day", "[unit]") {
    const ui::PixelGrid grid{.pixelsPerSecond = 20.0, .first = 0, .width = 1600};
    const auto ticks = ui::ticksOn(grid, {}, night);
    REQUIRE(ticks.times.size() > 5);
    bool midnight = false;
    for (const auto& tick : ticks.times) {
        INFO(tick.text.toStdString());
        const double stream = static_cast<double>(tick.x) / grid.pixelsPerSecond;
        CHECK(tick.text == clockText(night, stream, tick.text.length() - 8 > 0 ? tick.text.length() - 9 : 0));
        CHECK((tick.text.endsWith("0") || tick.text.endsWith("5")));
        midnight = midnight || tick.text.startsWith("00:00:00");
    }
    CHECK(midnight);
}
