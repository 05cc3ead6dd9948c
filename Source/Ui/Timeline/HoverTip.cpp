#include "Ui/Timeline/HoverTip.h"

#include "Ui/Theme.h"

#include <cmath>

namespace earshot::ui {

namespace {

constexpr int inset = 14;
constexpr int lineHeight = 20;

juce::Font titleFont() { return Theme::font(12.0f, true); }
juce::Font lineFont() { return Theme::font(11.0f); }

} // namespace

HoverTip::HoverTip() {
    setInterceptsMouseClicks(false, false);
    setVisible(false);
}

juce::StringArray HoverTip::lines() const {
    juce::StringArray all;
    if (text_.detail.isNotEmpty()) all.add(text_.detail);
    if (pinned_ && text_.advice.isNotEmpty()) all.add(text_.advice);
    return all;
}

void HoverTip::show(const HoverText& text, juce::Point<int> pointer, bool pinned) {
    const bool sameText = text == text_ && pinned == pinned_;
    text_ = text;
    pinned_ = pinned;
    if (text.title.isEmpty()) {
        hide();
        return;
    }
    float width = Theme::textWidth(titleFont(), text.title);
    for (const auto& line : lines()) width = std::max(width, Theme::textWidth(lineFont(), line));
    const juce::Rectangle<int> box(static_cast<int>(std::ceil(width)) + 2 * inset,
                                   (lines().size() + 1) * lineHeight + inset);
    const auto room =
        getParentComponent() != nullptr ? getParentComponent()->getLocalBounds().reduced(4) : box;
    auto place = box.withPosition(pointer.translated(16, 20));
    if (place.getBottom() > room.getBottom()) place.setY(pointer.y - 12 - place.getHeight());
    setBounds(place.constrainedWithin(room));
    setVisible(true);
    if (!sameText) repaint();
}

void HoverTip::hide() {
    pinned_ = false;
    text_ = {};
    setVisible(false);
}

void HoverTip::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    auto area = getLocalBounds().toFloat();
    graphics.setColour(palette.raised.withAlpha(0.96f));
    graphics.fillRoundedRectangle(area, size::corner);
    graphics.setColour(pinned_ ? palette.accent : palette.line.interpolatedWith(palette.secondary, 0.3f));
    graphics.drawRoundedRectangle(area.reduced(0.5f), size::corner, 1.0f);
    area = area.reduced(static_cast<float>(inset), static_cast<float>(inset) / 2.0f);
    graphics.setColour(palette.text);
    graphics.setFont(titleFont());
    Theme::drawNumber(graphics, text_.title, area.removeFromTop(lineHeight),
                      juce::Justification::centredLeft);
    graphics.setFont(lineFont());
    graphics.setColour(palette.secondary);
    for (const auto& line : lines())
        graphics.drawText(line, area.removeFromTop(lineHeight), juce::Justification::centredLeft, false);
}

} // namespace earshot::ui
