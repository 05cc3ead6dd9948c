#include "Ui/TimeAxis.h"

#include "Support/Assertions.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <limits>
#include <random>

using earshot::ui::TimeAxis;

namespace {

struct Counter : juce::ChangeListener {
    void changeListenerCallback(juce::ChangeBroadcaster*) override { ++changes; }
    int changes = 0;
};

} // namespace

TEST_CASE("zooming keeps the moment under the pointer where it is", "[unit]") {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> part(0.05, 0.95);
    TimeAxis axis;
    axis.setContentEnd(1000.0);
    axis.setStart(400.0);
    constexpr double width = 800.0;
    for (int i = 0; i < 200; ++i) {
        axis.setStart(400.0);
        const double anchor = axis.start() + part(random) * axis.visible();
        const double before = axis.x(anchor, width);
        axis.setVisible(10.0 + 100.0 * part(random), anchor);
        REQUIRE(axis.x(anchor, width) == Approx(before).margin(1e-6));
        REQUIRE(!axis.following());
    }
}

TEST_CASE("zoom goes from half a second to everything", "[unit]") {
    TimeAxis axis;
    axis.setContentEnd(120.0, 120.0);
    axis.setVisible(0.001, 60.0);
    REQUIRE(axis.visible() == TimeAxis::shortest);
    axis.setVisible(1e9, 60.0);
    REQUIRE(axis.visible() == 120.0);
    REQUIRE(axis.start() == 0.0);
    axis.setVisible(std::nan(""), 60.0);
    REQUIRE(axis.visible() == 120.0);
    axis.setVisible(20.0, 60.0);
    axis.showEverything();
    REQUIRE(axis.start() == 0.0);
    REQUIRE(axis.end() == 120.0);
    axis.setContentEnd(240.0, 240.0); // and keeps showing it
    REQUIRE(axis.end() == 240.0);
    axis.setContentEnd(3.0, 3.0); // a short recording fills the view
    REQUIRE(axis.end() == 3.0);
}

TEST_CASE("a wish for more than there is comes true as the stream grows", "[unit]") {
    TimeAxis axis;
    axis.setVisible(600.0, 0.0);
    REQUIRE(axis.visible() == TimeAxis::usual);
    for (double end = 1.0; end < 1200.0; end += 7.0) {
        axis.setContentEnd(end, end);
        REQUIRE(axis.visible() == Approx(std::min(600.0, end)));
        REQUIRE(axis.following());
    }
    REQUIRE(axis.wanted() == 600.0);
}

TEST_CASE("a view of all of a stream that grows on makes room in steps", "[unit]") {
    TimeAxis axis;
    Counter counter;
    axis.showEverything();
    axis.addChangeListener(&counter);
    for (int column = 1; column <= 45000; ++column) { // an hour
        axis.setContentEnd(0.08 * column);
        REQUIRE(axis.start() == 0.0);
        REQUIRE(axis.end() >= axis.contentEnd());
        REQUIRE(axis.end() <= std::max(TimeAxis::usual, 1.25 * axis.contentEnd()));
    }
    REQUIRE(counter.changes == 22); // 30 s times 1.25 to the 22nd power: 4,066 s
    axis.removeChangeListener(&counter);
}

TEST_CASE("a stream of known length has room for all of it from the start", "[unit]") {
    TimeAxis axis;
    Counter counter;
    axis.showEverything();
    axis.setContentEnd(0.3, 600.0);
    axis.addChangeListener(&counter);
    for (double end = 1.0; end < 600.0; end += 7.0) axis.setContentEnd(end, 600.0 * (1.0 + 1e-15 * end));
    REQUIRE(counter.changes == 0);
    REQUIRE(axis.start() == 0.0);
    REQUIRE(axis.end() == 600.0);
    REQUIRE(axis.contentEnd() < 600.0);
    axis.setContentEnd(450.0, 450.0); // it ended early
    REQUIRE(axis.end() == 450.0);
    axis.removeChangeListener(&counter);
}

TEST_CASE("following keeps the end in view, and scrolling back ends it", "[unit]") {
    TimeAxis axis;
    axis.setContentEnd(10.0);
    REQUIRE(axis.start() == 0.0);
    axis.setContentEnd(100.0);
    REQUIRE(axis.end() == Approx(100.0));
    axis.setVisible(10.0, 95.0);
    REQUIRE(axis.end() == Approx(100.0)); // zooming does not stop it
    axis.setStart(20.0);
    REQUIRE(!axis.following());
    axis.setContentEnd(200.0);
    REQUIRE(axis.start() == 20.0);
    axis.setStart(500.0); // reaches the end
    REQUIRE(axis.following());
    REQUIRE(axis.end() == Approx(200.0));
    axis.stay();
    axis.setContentEnd(300.0);
    REQUIRE(axis.end() == Approx(200.0));
    axis.follow();
    REQUIRE(axis.end() == Approx(300.0));
    axis.showEverything();
    axis.setStart(-10.0); // the end is still in view
    REQUIRE(axis.following());
}

TEST_CASE("a moment is revealed a third from the left, unless it is in view", "[unit]") {
    TimeAxis axis;
    axis.setContentEnd(300.0);
    axis.setStart(100.0);
    axis.reveal(110.0);
    REQUIRE(axis.start() == 100.0);
    axis.reveal(50.0);
    REQUIRE(axis.start() == Approx(40.0));
    axis.reveal(2.0);
    REQUIRE(axis.start() == 0.0);
}

TEST_CASE("listeners hear of every change and of nothing else", "[unit]") {
    TimeAxis axis;
    Counter counter;
    axis.addChangeListener(&counter);
    axis.setContentEnd(10.0); // all in view as before
    REQUIRE(counter.changes == 0);
    axis.setContentEnd(50.0);
    REQUIRE(counter.changes == 1);
    axis.setStart(3.0);
    axis.setStart(3.0);
    REQUIRE(counter.changes == 2);
    axis.reset();
    REQUIRE(counter.changes == 3);
    REQUIRE(axis.following());
    axis.removeChangeListener(&counter);
}

TEST_CASE("assertions of the views are on where their tests have them", "[unit]") {
    if (!earshot::test::assertionsAreOn) return earshot::test::skip("assertions are off in this build");
    REQUIRE(earshot::test::endsProgram([] { TimeAxis().reveal(std::numeric_limits<double>::quiet_NaN()); }));
}
