#include "Ui/Timeline/Ruler.h"

#include "Ui/Theme.h"
#include "Ui/Timeline/Ticks.h"

namespace earshot::ui {

Ruler::Ruler(Watcher& watcher, TimeAxis& axis)
    : watcher_(watcher)
    , axis_(axis) {
    setInterceptsMouseClicks(false, false);
}

void Ruler::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto scale = graphics.getInternalContext().getPhysicalPixelScaleFactor();
    const auto ticks = ticksOn(PixelGrid::of(axis_, getWidth(), scale), watcher_.history().times);
    const auto height = static_cast<float>(getHeight());
    graphics.setFont(Theme::font(11.0f));
    for (const auto& tick : ticks.times) {
        graphics.setColour(palette.line);
        graphics.fillRect(tick.x, 4.0f, 1.0f, height - 4.0f);
        graphics.setColour(palette.secondary);
        Theme::drawNumber(graphics, tick.text, {tick.x + 4.0f, 0.0f, 90.0f, height - 4.0f},
                          juce::Justification::centredLeft);
    }
    graphics.setColour(palette.accent.withAlpha(0.8f));
    for (const float x : ticks.jumps) {
        juce::Path mark;
        mark.addTriangle(x - 4.0f, height - 6.0f, x + 4.0f, height - 6.0f, x, height);
        graphics.fillPath(mark);
    }
}

void PlayCursor::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat();
    const float x = area.getCentreX();
    graphics.setColour(palette.text);
    graphics.fillRect(juce::Rectangle<float>(1.5f, area.getHeight()).withX(x - 0.75f));
    juce::Path head;
    head.addTriangle(area.getX(), 0.0f, area.getRight(), 0.0f, x, 7.0f);
    graphics.fillPath(head);
}

} // namespace earshot::ui
