#include "Ui/Panels/DropOverlay.h"

namespace earshot::ui {

DropOverlay::DropOverlay() { setInterceptsMouseClicks(false, false); }

void DropOverlay::show(const Drop& drop) {
    drop_ = drop;
    describe(*this, drop.words);
    setVisible(true);
    toFront(false);
    repaint();
}

void DropOverlay::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.fillAll(palette.background.withAlpha(0.82f));
    const auto area = getLocalBounds().toFloat().reduced(static_cast<float>(size::margin));
    const bool taken = drop_.kind != Drop::Kind::nothing;
    juce::Path frame;
    frame.addRoundedRectangle(area, size::corner + 4.0f);
    const float dashes[] = {8.0f, 6.0f};
    juce::Path dashed;
    juce::PathStrokeType(2.0f).createDashedStroke(dashed, frame, dashes, 2);
    graphics.setColour(taken ? palette.accent : palette.secondary);
    graphics.fillPath(dashed);
    graphics.setColour(taken ? palette.text : palette.secondary);
    graphics.setFont(Theme::font(17.0f, taken));
    graphics.drawFittedText(drop_.words, area.reduced(24.0f).toNearestInt(), juce::Justification::centred, 3);
}

} // namespace earshot::ui
