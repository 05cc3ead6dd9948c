#include "Plugin/EarshotEditor.h"

#include "Plugin/EarshotProcessor.h"
#include "Plugin/WindowPlace.h"

#include <algorithm>

namespace earshot::plugin {

namespace {

constexpr int largestSide = 8192;

// The part that is free for windows. Hosts do not say on which screen they open an editor.
juce::Rectangle<int> largestScreen(double hostScale) {
    juce::Rectangle<int> largest;
    const auto extent = [](const juce::Rectangle<int>& area) { return area.getWidth() * area.getHeight(); };
    for (const auto& display : juce::Desktop::getInstance().getDisplays().displays)
        if (const auto area = areaForEditor(display.userArea, display.scale, hostScale);
            extent(area) > extent(largest))
            largest = area;
    return largest.isEmpty() ? areaForEditor({largestSide, largestSide}, 1.0, hostScale) : largest;
}

} // namespace

EarshotEditor::EarshotEditor(EarshotProcessor& owner)
    : juce::AudioProcessorEditor(owner)
    , owner_(owner)
    , view_(owner) {
    addAndMakeVisible(view_);
    // The app's frame has its own handles for resizing.
    const bool app = owner.wrapperType == juce::AudioProcessor::wrapperType_Standalone;
    setResizable(true, !app);
    setResizeLimits(ui::MainView::smallestWidth, ui::MainView::smallestHeight, largestSide, largestSide);
    fit();
}

void EarshotEditor::fit() {
    const ui::ViewSettings settings = owner_.view().get();
    const auto place =
        windowPlace({settings.width, settings.height}, {}, largestScreen(static_cast<double>(scale_)), 0);
    sized_ = false;
    setSize(std::max(ui::MainView::smallestWidth, place.getWidth()),
            std::max(ui::MainView::smallestHeight, place.getHeight()));
    sized_ = true;
}

// JUCE's wrapper sets the former size again after this call, so the new one waits for its end.
void EarshotEditor::setScaleFactor(float scale) {
    juce::AudioProcessorEditor::setScaleFactor(scale);
    scale_ = scale;
    triggerAsyncUpdate();
}

void EarshotEditor::handleAsyncUpdate() {
    ui::guarded(view_, [this] { fit(); });
}

void EarshotEditor::resized() {
    ui::guarded(view_, [this] {
        view_.setBounds(getLocalBounds());
        if (sized_)
            owner_.view().edit([this](ui::ViewSettings& settings) {
                settings.width = getWidth();
                settings.height = getHeight();
            });
    });
}

} // namespace earshot::plugin
