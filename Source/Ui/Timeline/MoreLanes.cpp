#include "Ui/Timeline/MoreLanes.h"

#include "Ui/Panels/Widgets.h"
#include "Ui/Theme.h"

namespace earshot::ui {

namespace {

constexpr float signRoom = 18.0f; // logical pixels before the text
constexpr float signSize = 3.5f;

juce::Path arrow(juce::Point<float> centre, bool down) {
    juce::Path path;
    path.addTriangle(-signSize, -signSize, signSize, 0.0f, -signSize, signSize);
    path.applyTransform(
        juce::AffineTransform::rotation(down ? juce::MathConstants<float>::halfPi : 0.0f).translated(centre));
    return path;
}

} // namespace

MoreLanes::MoreLanes()
    : juce::Button({}) {}

void MoreLanes::show(int count, bool alone, bool open) {
    const auto sounds = juce::String(count) + (count == 1 ? " sound" : " sounds") + " without events in view";
    open_ = open;
    // Beside lanes the text stays within the column of names, where no line of the picture crosses it.
    setButtonText(alone  ? sounds
                  : open ? juce::String(count) + " without events"
                         : "and " + juce::String(count) + " more");
    describeWithTooltip(*this, (open ? "Hide " : "Show ") + sounds,
                        open ? "Show only sounds with an event or a near miss in view (A)"
                             : "Show the lanes of all sounds (A)");
    repaint();
}

void MoreLanes::paintButton(juce::Graphics& graphics, bool highlighted, bool) {
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat();
    graphics.fillAll(palette.background);
    graphics.setColour(highlighted ? palette.text : palette.secondary);
    graphics.fillPath(arrow({signRoom / 2.0f, area.getCentreY()}, open_));
    graphics.setFont(Theme::font(12.0f));
    graphics.drawText(getButtonText(), area.withTrimmedLeft(signRoom), juce::Justification::centredLeft,
                      true);
    if (Theme::showsFocus(*this)) Theme::drawFocus(graphics, *this, getLocalBounds());
}

} // namespace earshot::ui
