#include "Plugin/EarshotEditor.h"

#include "Plugin/EarshotProcessor.h"
#include "Plugin/Window/WindowPlace.h"

#include <algorithm>
#include <cmath>

namespace earshot::plugin {

namespace {

constexpr int maxSide = 8192;

// The part that is free for windows. Hosts do not say on which screen they open an editor.
juce::Rectangle<int> maxScreen(double hostScale) {
    juce::Rectangle<int> largest;
    const auto extent = [](const juce::Rectangle<int>& area) { return area.getWidth() * area.getHeight(); };
    for (const auto& display : juce::Desktop::getInstance().getDisplays().displays)
        if (const auto area = areaForEditor(display.userArea, display.scale, hostScale);
            extent(area) > extent(largest))
            largest = area;
    return largest.isEmpty() ? areaForEditor({maxSide, maxSide}, 1.0, hostScale) : largest;
}

} // namespace

EarshotEditor::EarshotEditor(EarshotProcessor& owner)
    : juce::AudioProcessorEditor(owner)
    , owner_(owner)
    , view_(owner)
    , percent_(owner.shell().zoom()) {
    addAndMakeVisible(view_);
    // The app's frame has its own handles for resizing.
    const bool app = owner.wrapperType == juce::AudioProcessor::wrapperType_Standalone;
    setResizable(true, !app);
    fit();
}

void EarshotEditor::zoomTo(int percent) {
    percent_ = percent;
    fit();
}

void EarshotEditor::fit() {
    using ui::MainView;
    const ui::ViewSettings settings = owner_.view().get();
    const auto screen = maxScreen(static_cast<double>(scale_));
    zoom_ = zoomIn(screen, {MainView::minWidth, MainView::minHeight}, percent_);
    const auto zoomed = [this](int pixels) { return juce::roundToInt(zoom_ * pixels); };
    const int width = zoomed(MainView::minWidth), height = zoomed(MainView::minHeight);
    const auto place = windowPlace({zoomed(settings.width), zoomed(settings.height)}, {}, screen, 0);
    sized_ = false;
    setResizeLimits(width, height, maxSide, maxSide);
    setSize(std::max(width, place.getWidth()), std::max(height, place.getHeight()));
    resized(); // where the size is the same
    sized_ = true;
}

// JUCE's wrapper sets the former size again after this call, so the new one waits for its end.
void EarshotEditor::setScaleFactor(float scale) {
    juce::AudioProcessorEditor::setScaleFactor(scale);
    scale_ = scale;
    triggerAsyncUpdate();
}

void EarshotEditor::handleAsyncUpdate() {
    ui::catchAll(view_, [this] { fit(); });
}

void EarshotEditor::resized() {
    ui::catchAll(view_, [this] {
        const auto inView = [this](int pixels) { return pixels / zoom_; };
        view_.setTransform(juce::AffineTransform::scale(static_cast<float>(zoom_)));
        view_.setBounds(0, 0, static_cast<int>(std::ceil(inView(getWidth()))),
                        static_cast<int>(std::ceil(inView(getHeight()))));
        if (sized_)
            owner_.view().edit([&](ui::ViewSettings& settings) {
                settings.width = juce::roundToInt(inView(getWidth()));
                settings.height = juce::roundToInt(inView(getHeight()));
            });
    });
}

} // namespace earshot::plugin
