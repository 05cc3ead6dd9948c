#include "Ui/Panels/SidePanel.h"

#include "Support/Catch.h"
#include "Support/FakeController.h"
#include "Ui/Panels/SettingsPanel.h"
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
    parent.setLookAndFeel(nullptr);
}

TEST_CASE("the settings open the log, where there is one", "[unit][log]") {
    test::FakeController controller({"Dog"});
    ui::Theme theme(ui::ThemeChoice::dark);
    ui::HistoryViewModel viewModel(controller);
    juce::Component parent;
    parent.setLookAndFeel(&theme);
    for (const bool hasLog : {true, false}) {
        controller.shell().hasALog = hasLog;
        ui::NonThrowing<ui::SettingsPanel> panel(controller, viewModel);
        parent.addAndMakeVisible(panel);
        juce::TextButton* button = nullptr;
        test::walk(panel, [&](juce::Component& component) {
            auto* text = dynamic_cast<juce::TextButton*>(&component);
            if (text != nullptr && text->getButtonText() == "Open log") button = text;
        });
        REQUIRE((button != nullptr) == hasLog);
        if (button != nullptr) button->onClick();
    }
    CHECK(controller.shell().logShown == 1);
    parent.setLookAndFeel(nullptr);
}
