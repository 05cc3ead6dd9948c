// Times of day in the views: of recordings that say when they began, and of what is heard live.
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/Panels/EventPanel.h"
#include "Ui/TimeAxis.h"
#include "Ui/Timeline/Ruler.h"

using namespace earshot;
using ui::clockText;

namespace {

const WallTime night = *parseWallTime("2026-10-25T23:59:30.250-05:00");

// An hour of a live stream that is 10 s old at first, with its clock.
struct Live {
    Live() {
        controller.viewModel().clock = [this] { return now; };
        for (int i = 0; i < 10; ++i) controller.live.addColumn({0.9f}, 0);
        update(10.0);
    }
    void update(double heard) {
        controller.live.statusNow.heard = heard;
        controller.viewModel().update();
    }
    std::string csv() {
        ui::EventPanel panel(controller, controller.viewModel());
        return panel.exported(*formats::formatNamed("csv"));
    }

    test::FakeController controller{{"Dog"}, 1.0};
    WallTime now = later(night, 10.0);
};

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

TEST_CASE("what is heard live has the time of day if the user wants it", "[unit]") {
    Live live;
    auto& viewModel = live.controller.viewModel();
    CHECK_FALSE(viewModel.began());
    CHECK(viewModel.timeText(5.0) == "00:05.0");
    CHECK(viewModel.clockStart() == night);
    live.controller.view().edit([](ui::ViewSettings& view) { view.clock = true; });
    CHECK(viewModel.began() == night);
    CHECK(viewModel.timeText(5.0) == "23:59:35.3");
    CHECK(viewModel.timeText(29.75) == "00:00:00.0");
    // Ruler, list and exports have the same time, with its offset.
    CHECK_THAT(live.csv(), ContainsSubstring("2026-10-25T23:59:30.250-05:00"));

    // Blocks come a little late: the start stays.
    live.now = later(night, 20.3);
    live.update(20.0);
    CHECK(viewModel.clockStart() == night);
    CHECK(viewModel.times().segments().empty());
    // The device was away for a minute.
    live.now = later(night, 81.0);
    live.update(21.0);
    CHECK(viewModel.clockStart() == night);
    CHECK(viewModel.timeText(5.0) == "23:59:35.3");
    CHECK(viewModel.timeText(22.0) == "00:00:52.3");
    live.now = later(night, 82.0);
    live.update(22.0);
    CHECK(viewModel.times().segments().size() == 1);

    // Another stream.
    live.controller.live.beginStream();
    live.now = later(night, 200.0);
    live.update(1.0);
    CHECK(viewModel.clockStart() == later(night, 199.0));
    CHECK(viewModel.times().segments().empty());
}

TEST_CASE("exports have the time of day live, but not of a host's time line or of a recording", "[unit]") {
    Live live;
    CHECK_THAT(live.csv(), ContainsSubstring("2026-10-25T23:59:30.250-05:00"));
    live.controller.live.times.add({.stream = 0.0, .shown = 64.0, .host = true});
    live.controller.live.addColumn({0.1f}, 0);
    live.update(11.0);
    CHECK_THAT(live.csv(), !ContainsSubstring("2026-10-25"));

    Live stopped;
    stopped.controller.playback().opened = juce::File("/a/take.wav");
    stopped.controller.viewModel().update();
    CHECK_THAT(stopped.csv(), !ContainsSubstring("2026-10-25"));
    CHECK_FALSE(stopped.controller.viewModel().began());
    stopped.controller.live.statusNow.began = night;
    stopped.controller.viewModel().update();
    CHECK(stopped.controller.viewModel().began() == night);
}
