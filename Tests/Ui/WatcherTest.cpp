#include "Ui/Watcher.h"

#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/ClockText.h"
#include "Ui/ParameterIds.h"

using namespace earshot;
using namespace earshot::ui;

namespace {

struct Ear : Watcher::Listener {
    void heardMore(const Watcher::Changes& changes) override {
        ++calls;
        last = changes;
    }
    int calls = 0;
    Watcher::Changes last;
};

void set(test::FakeController& controller, const char* id, float value) {
    auto* parameter = controller.parameters().getParameter(id);
    parameter->setValueNotifyingHost(parameter->convertTo0to1(value));
}

} // namespace

TEST_CASE("a watcher tells what is new, and nothing when nothing is", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    Watcher watcher(controller);
    Ear ear;
    watcher.addListener(&ear);
    watcher.update();
    REQUIRE(ear.last.replaced);
    const int calls = ear.calls;
    watcher.update();
    REQUIRE(ear.calls == calls);

    for (int i = 0; i < 10; ++i) controller.live.addColumn({0.9f, 0.1f});
    watcher.update();
    REQUIRE(ear.calls == calls + 1);
    REQUIRE(!ear.last.replaced);
    REQUIRE(ear.last.columns);
    REQUIRE(ear.last.events);
    REQUIRE(ear.last.firstColumn == 0);
    REQUIRE(watcher.events().list().events.size() == 1);
    REQUIRE(watcher.now(0) == 0.9f);
    REQUIRE(watcher.now(7) == 0.0f);
    REQUIRE(watcher.now(-1) == 0.0f);
    REQUIRE(watcher.label(1) == "Rain");
    REQUIRE(watcher.label(2).isEmpty());

    controller.live.addColumn({0.9f, 0.1f});
    watcher.update();
    REQUIRE(ear.last.firstColumn == 6); // what was not settled before
    controller.live.statusNow.precision = "bfloat16";
    watcher.update();
    REQUIRE(ear.last.status);
    controller.live.statusNow.load = 0.5;
    watcher.update();
    REQUIRE(ear.last.status);
    REQUIRE(!ear.last.columns);
    watcher.removeListener(&ear);
}

TEST_CASE("a changed threshold makes other events at once", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    Watcher watcher(controller);
    for (int i = 0; i < 10; ++i) controller.live.addColumn({0.35f, 0.0f});
    watcher.update();
    REQUIRE(watcher.events().list().events.empty());
    REQUIRE(watcher.events().list().nearMisses.size() == 1);
    set(controller, parameter::threshold, 0.3f);
    watcher.update();
    REQUIRE(watcher.events().list().events.size() == 1);
    controller.view().edit([](ViewSettings& view) { view.classThresholds["Dog"] = 0.5f; });
    watcher.update();
    REQUIRE(watcher.events().list().events.empty());
    REQUIRE(watcher.eventSettings().ruleFor(0).on == 0.5f);
}

TEST_CASE("a sound sounds until its event has been over for the hold time", "[unit]") {
    test::FakeController controller({"Dog", "Rain"});
    Watcher watcher(controller);
    set(controller, parameter::hold, 1.0f);
    for (int i = 0; i < 5; ++i) controller.live.addColumn({0.9f, 0.0f});
    watcher.update();
    REQUIRE(watcher.sounding(0));
    REQUIRE(!watcher.sounding(1));
    for (int i = 0; i < 3; ++i) controller.live.addColumn({0.0f, 0.0f});
    watcher.update(); // over for 0.96 s
    REQUIRE(watcher.sounding(0));
    controller.live.addColumn({0.0f, 0.0f});
    watcher.update(); // 1.28 s
    REQUIRE(!watcher.sounding(0));
    REQUIRE(!watcher.sounding(-1));
    REQUIRE(!watcher.sounding(2));
}

TEST_CASE("while frozen the history stands still, until another source is shown", "[unit]") {
    test::FakeController controller({"Dog"});
    Watcher watcher(controller);
    controller.live.addColumn({0.5f});
    watcher.update();
    watcher.setFrozen(true);
    controller.live.addColumn({0.6f});
    watcher.update();
    REQUIRE(watcher.history().timeline->columns() == 1);
    REQUIRE(watcher.status().heard == Approx(0.64));
    watcher.setFrozen(false);
    watcher.update();
    REQUIRE(watcher.history().timeline->columns() == 2);
    watcher.setFrozen(true);
    controller.sourceIdNow = 2;
    Ear ear;
    watcher.addListener(&ear);
    watcher.update();
    REQUIRE(!watcher.frozen());
    REQUIRE(ear.last.replaced);
    REQUIRE(ear.last.firstColumn == 0);
}

TEST_CASE("times are shown as people read them", "[unit]") {
    REQUIRE(clockText(62.9) == "01:02.9");
    REQUIRE(clockText(59.96) == "01:00.0");
    REQUIRE(clockText(0.0) == "00:00.0");
    REQUIRE(clockText(-0.01) == "00:00.0");
    REQUIRE(clockText(-1.5) == "-00:01.5");
    REQUIRE(clockText(3661.25, 2) == "1:01:01.25");
    REQUIRE(clockText(3599.99) == "1:00:00.0");
    REQUIRE(clockText(125.0, 0) == "02:05");
    REQUIRE(clockText(std::nan("")) == "--:--");
    REQUIRE(clockText(1e300).isNotEmpty());

    test::FakeController controller({"Dog"});
    controller.live.times.add({0.0, -2.0, true});
    controller.live.addColumn({0.5f});
    Watcher watcher(controller);
    watcher.update();
    REQUIRE(watcher.timeText(0.5) == "-00:01.5");
}
