#include "Plugin/AppWindow.h"

#include "Ui/MainView.h"

#include <algorithm>

namespace earshot::plugin {

namespace {

constexpr const char* placeKey = "windowPlace"; // "x y"

} // namespace

AppWindow::AppWindow(juce::AudioProcessor& processor, juce::PropertiesFile& settings)
    : juce::DocumentWindow("Earshot", juce::Colours::black, juce::DocumentWindow::allButtons)
    , processor_(processor)
    , settings_(settings) {
    setUsingNativeTitleBar(true);
    if (auto* editor = processor.createEditorIfNeeded()) setContentOwned(editor, true);
    setResizable(true, false);
    setResizeLimits(ui::MainView::smallestWidth, ui::MainView::smallestHeight, 8192, 8192);
    const auto place = juce::StringArray::fromTokens(settings.getValue(placeKey), false);
    const auto wanted =
        juce::Rectangle<int>(place[0].getIntValue(), place[1].getIntValue(), getWidth(), getHeight());
    // Where it was, unless that screen is gone.
    const auto screens = juce::Desktop::getInstance().getDisplays().getRectangleList(true);
    if (place.size() == 2 && screens.intersectsRectangle(wanted.withHeight(40))) {
        setTopLeftPosition(wanted.getPosition());
    } else {
        centreWithSize(getWidth(), getHeight());
    }
    placed_ = true;
    setVisible(true);
}

AppWindow::~AppWindow() {
    savePlace();
    if (auto* editor = processor_.getActiveEditor()) processor_.editorBeingDeleted(editor);
    clearContentComponent();
}

void AppWindow::closeButtonPressed() { juce::JUCEApplicationBase::quit(); }

void AppWindow::moved() {
    juce::DocumentWindow::moved();
    if (placed_) savePlace();
}

void AppWindow::savePlace() {
    if (isFullScreen() || isMinimised()) return;
    settings_.setValue(placeKey, juce::String(getX()) + " " + juce::String(getY()));
}

} // namespace earshot::plugin
