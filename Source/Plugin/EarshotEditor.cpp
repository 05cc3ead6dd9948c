#include "Plugin/EarshotEditor.h"

#include "Plugin/EarshotProcessor.h"
#include "Plugin/WindowPlace.h"

namespace earshot::plugin {

namespace {

constexpr int largestSide = 8192;

// The part that is free for windows. Hosts do not say on which screen they open an editor.
juce::Rectangle<int> largestScreen() {
    juce::Rectangle<int> largest;
    const auto extent = [](const juce::Rectangle<int>& area) { return area.getWidth() * area.getHeight(); };
    for (const auto& display : juce::Desktop::getInstance().getDisplays().displays)
        if (extent(display.userArea) > extent(largest)) largest = display.userArea;
    return largest.isEmpty() ? juce::Rectangle<int>(largestSide, largestSide) : largest;
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
    const ui::ViewSettings settings = owner.view().get();
    const auto place = windowPlace({settings.width, settings.height}, {}, largestScreen(), 0);
    setSize(place.getWidth(), place.getHeight());
    sized_ = true;
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
