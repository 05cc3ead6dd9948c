#include "Ui/Panels/OutputSections.h"

#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/Theme.h"
#include "ViewWalk.h"

using namespace earshot;

TEST_CASE("the OSC settings offer to allow the host that a project names, and no longer once it is",
          "[unit]") {
    test::FakeController controller({"Dog"});
    const ui::Theme theme(ui::ThemeChoice::dark);
    ui::OscSection section(controller.outputs());
    juce::Component parent;
    parent.addAndMakeVisible(section);
    parent.setSize(400, 600);
    const int height = section.heightFor(400);
    REQUIRE(test::find<juce::TextButton>(parent, "Allow sending to studio.local") == nullptr);

    controller.outputs().asked = "studio.local";
    controller.outputs().problemNow = "OSC is off";
    int layouts = 0;
    section.onLayout = [&] { ++layouts; };
    section.refresh();
    REQUIRE(layouts == 1);
    REQUIRE(section.heightFor(400) > height);
    auto* allow = test::find<juce::TextButton>(parent, "Allow sending to studio.local");
    REQUIRE(allow != nullptr);
    controller.outputs().problemNow = {};
    allow->onClick();
    REQUIRE(controller.outputs().allowed == "studio.local");
    REQUIRE(layouts == 2);
    REQUIRE(section.heightFor(400) == height);
    REQUIRE(test::find<juce::TextButton>(parent, "Allow sending to studio.local") == nullptr);
}

TEST_CASE("an instance gets a name in the OSC settings", "[unit]") {
    test::FakeController controller({"Dog"});
    const ui::Theme theme(ui::ThemeChoice::dark);
    ui::OscSection section(controller.outputs());
    juce::Component parent;
    parent.addAndMakeVisible(section);
    parent.setSize(400, 600);
    auto* name = test::find<juce::TextEditor>(parent, "Name of this instance");
    REQUIRE(name != nullptr);
    REQUIRE(name->isEmpty());
    name->setText(" Hall ", false);
    name->onReturnKey();
    REQUIRE(controller.outputs().settings().instance == "Hall");
    name->setText({}, false);
    name->onReturnKey();
    REQUIRE(controller.outputs().settings().instance.isEmpty());
}
