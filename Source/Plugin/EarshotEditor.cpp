#include "Plugin/EarshotEditor.h"

#include "Plugin/EarshotProcessor.h"

namespace earshot::plugin {

namespace {

constexpr int largestSide = 8192;

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
    setSize(settings.width, settings.height);
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
