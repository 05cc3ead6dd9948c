#include "Ui/Panels/SidePanel.h"

#include "Core/Base/Version.h"
#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/MainView.h"
#include "Ui/Panels/HelpPanel.h"
#include "Ui/Panels/SettingsPanel.h"
#include "Ui/ParameterIds.h"
#include "Ui/Theme.h"
#include "ViewWalk.h"

using namespace earshot;

TEST_CASE("sections lie beside the scroll bar, as soon as it comes and when it goes", "[unit]") {
    test::FakeController controller({"Dog"});
    ui::Theme theme(ui::ThemeChoice::dark);
    ui::HistoryViewModel viewModel(controller);
    juce::Component parent;
    parent.setLookAndFeel(&theme);
    ui::NonThrowing<ui::SettingsPanel> panel(controller, viewModel);
    parent.addAndMakeVisible(panel);
    juce::Viewport* viewport = nullptr;
    test::walk(panel, [&](juce::Component& component) {
        if (viewport == nullptr) viewport = dynamic_cast<juce::Viewport*>(&component); // lists have theirs
    });
    REQUIRE(viewport != nullptr);
    for (const int height : {300, 6000, 300}) {
        panel.setSize(400, height);
        CAPTURE(height);
        CHECK(viewport->getVerticalScrollBar().isVisible() == (height == 300));
        CHECK(viewport->getViewedComponent()->getWidth() == viewport->getMaximumVisibleWidth());
    }
    int sliders = 0; // over them, too, the wheel scrolls the panel
    test::walk(panel, [&](juce::Component& component) {
        if (auto* slider = dynamic_cast<juce::Slider*>(&component)) {
            ++sliders;
            CHECK_FALSE(slider->isScrollWheelEnabled());
        }
    });
    CHECK(sliders > 4);
    parent.setLookAndFeel(nullptr);
}

TEST_CASE("F1 shows keys in two columns, the manual, version and licences, and the log where there is one",
          "[unit][log]") {
    test::FakeController controller({"Dog"});
    for (const bool hasLog : {true, false}) {
        controller.shell().hasALog = hasLog;
        ui::MainView view(controller);
        view.setSize(1200, 720);
        view.refresh();
        REQUIRE(view.keyPressed(juce::KeyPress(juce::KeyPress::F1Key)));
        auto* panel = test::find<ui::HelpPanel>(view, "Keys and help");
        REQUIRE(panel != nullptr);
        auto* keys = test::find<ui::Caption>(*panel, "Ctrl + E");
        auto* does = test::find<ui::Caption>(*panel, "Export the events");
        REQUIRE(keys != nullptr);
        REQUIRE(does != nullptr);
        CHECK(keys->getY() == does->getY());
        CHECK(keys->getRight() <= does->getX());
        CHECK(test::find<ui::Caption>(*panel, "Earshot " + juce::String(std::string(versionAndCommit()))) !=
              nullptr);
        test::find<juce::TextButton>(*panel, "Open the manual")->onClick();
        auto* log = test::find<juce::TextButton>(*panel, "Open log");
        REQUIRE((log != nullptr) == hasLog);
        if (log != nullptr) log->onClick();
        REQUIRE(view.keyPressed(juce::KeyPress(juce::KeyPress::F1Key)));
        CHECK(test::find<ui::HelpPanel>(view, "Keys and help") == nullptr);
    }
    CHECK(controller.shell().logShown == 1);
    CHECK(controller.shell().manualShown == 2);
}

TEST_CASE("mode, hop and median are folded away, and follow their parameters", "[unit]") {
    test::FakeController controller({"Dog"});
    ui::MainView view(controller);
    view.setSize(1100, 640);
    view.refresh();
    REQUIRE(view.keyPressed(juce::KeyPress(',', juce::ModifierKeys::commandModifier, 0)));
    auto* panel = test::find<ui::SettingsPanel>(view, "Settings");
    REQUIRE(panel != nullptr);
    const auto box = [&](const char* title) { return test::find<juce::ComboBox>(*panel, title); };
    const auto press = [&](const char* title) {
        auto* button = test::find<juce::Button>(*panel, title);
        REQUIRE(button != nullptr);
        button->onClick();
    };
    auto* section = test::find<ui::SettingsSection>(*panel, "Advanced");
    REQUIRE(section != nullptr);
    const int folded = section->getHeight();
    for (const char* title : {"Mode", "Hop", "Median"}) CHECK(box(title) == nullptr);
    press("Show the advanced settings");
    CHECK(section->getHeight() > folded + 3 * ui::size::control);
    for (const char* title : {"Mode", "Hop", "Median"}) {
        CAPTURE(title);
        REQUIRE(box(title) != nullptr);
        CHECK(section->getLocalBounds().contains(box(title)->getBounds()));
        CHECK_FALSE(box(title)->getTooltip().isEmpty());
        CHECK(test::find<ui::Caption>(*section, title) != nullptr);
    }
    box("Mode")->setSelectedItemIndex(2, juce::sendNotificationSync);
    auto* mode = controller.parameters().getParameter(ui::parameter::mode);
    CHECK(mode->getCurrentValueAsText() == "Repeat");
    mode->setValueNotifyingHost(mode->convertTo0to1(1.0f)); // as a host does
    CHECK(box("Mode")->getText() == "Crop");
    press("Hide the advanced settings");
    CHECK(section->getHeight() == folded);
    CHECK(box("Mode") == nullptr);
}
