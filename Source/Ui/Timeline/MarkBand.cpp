#include "Ui/Timeline/MarkBand.h"

#include "Ui/Panels/Widgets.h"
#include "Ui/Theme.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace earshot::ui {

namespace {

constexpr int handleReach = 5; // logical pixels to both sides of an end
constexpr float gripWidth = 6.0f;
constexpr float gripHeight = 26.0f;
constexpr int lengthHeight = 18;

juce::Font lengthFont() { return Theme::font(11.0f, true); }

int lengthWidth(const juce::String& text) {
    return static_cast<int>(std::ceil(static_cast<double>(Theme::textWidth(lengthFont(), text)))) + 14;
}

// Logical pixels in the plot's parent.
double xOf(juce::Rectangle<int> plot, const TimeAxis& axis, double seconds) {
    return plot.getX() + axis.x(seconds, plot.getWidth());
}

// The handle's place; none where that end is out of view.
std::optional<int> handleOf(juce::Rectangle<int> plot, const TimeAxis& axis, double seconds) {
    const double x = xOf(plot, axis, seconds);
    if (x < plot.getX() - 1.0 || x > plot.getRight() + 1.0) return std::nullopt;
    return juce::roundToInt(x);
}

} // namespace

juce::String frequenciesText(const HertzRange& frequencies) {
    if (frequencies.all()) return {};
    const bool kilo = frequencies.high >= 1000.0;
    const auto text = [kilo](double hertz) {
        return kilo ? juce::String(hertz / 1000.0, 1) : juce::String(juce::roundToInt(hertz));
    };
    return text(frequencies.low) + " to " + text(frequencies.high) + (kilo ? " kHz" : " Hz");
}

juce::String lengthText(double seconds) { return juce::String(seconds, 2) + " s"; }

juce::Rectangle<int> markOn(juce::Rectangle<int> plot, const TimeAxis& axis, const Mark& mark) {
    if (!mark.exists() || plot.isEmpty()) return {};
    const double left = std::max(xOf(plot, axis, mark.onset()), static_cast<double>(plot.getX()));
    const double right = std::min(xOf(plot, axis, mark.offset()), static_cast<double>(plot.getRight()));
    if (right < left) return {};
    const int from = juce::roundToInt(left);
    return plot.withLeft(from).withWidth(std::max(1, juce::roundToInt(right) - from));
}

std::optional<Mark::End> handleAt(juce::Rectangle<int> plot, const TimeAxis& axis, const Mark& mark,
                                  juce::Point<int> position) {
    if (!mark.exists() || !plot.contains(position)) return std::nullopt;
    const auto away = [&](double seconds) {
        const auto handle = handleOf(plot, axis, seconds);
        return handle ? std::abs(*handle - position.x) : handleReach + 1;
    };
    const int onset = away(mark.onset()), offset = away(mark.offset());
    if (std::min(onset, offset) > handleReach) return std::nullopt;
    // Within a narrow band the pointer's side decides, so that both ends can be taken.
    if (onset == offset)
        return axis.seconds(position.x - plot.getX(), plot.getWidth()) < mark.onset() ? Mark::End::onset
                                                                                      : Mark::End::offset;
    return onset < offset ? Mark::End::onset : Mark::End::offset;
}

MarkBand::MarkBand() {
    setInterceptsMouseClicks(false, false);
    setVisible(false);
}

void MarkBand::show(juce::Rectangle<int> plot, const TimeAxis& axis, const Mark& mark, juce::Range<int> rows,
                    const juce::String& frequencies) {
    const auto band = markOn(plot, axis, mark);
    setVisible(!band.isEmpty());
    if (band.isEmpty()) return;
    text_ = lengthText(mark.seconds());
    if (frequencies.isNotEmpty()) text_ += juce::String::fromUTF8(" · ") + frequencies;
    describe(*this, "Mark of " + text_);
    auto bounds = band.expanded(handleReach, 0);
    const int least = lengthWidth(text_);
    if (bounds.getWidth() < least) bounds = bounds.withSizeKeepingCentre(least, bounds.getHeight());
    bounds = bounds.constrainedWithin(plot.expanded(handleReach, 0));
    const auto inside = [&](std::optional<int> x) {
        return x ? std::optional(*x - bounds.getX()) : std::nullopt;
    };
    band_ = band - bounds.getPosition();
    rows_ = rows - bounds.getY();
    left_ = inside(handleOf(plot, axis, mark.onset()));
    right_ = inside(handleOf(plot, axis, mark.offset()));
    setBounds(bounds);
    repaint();
}

void MarkBand::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto band = band_.toFloat();
    graphics.setColour(palette.text.withAlpha(palette.light ? 0.16f : 0.2f));
    graphics.fillRect(band);
    if (!rows_.isEmpty()) {
        graphics.setColour(palette.text.withAlpha(0.8f));
        graphics.drawRect(band_.withY(rows_.getStart()).withHeight(rows_.getLength()), 1);
    }
    for (const auto& handle : {left_, right_}) {
        if (!handle) continue;
        const juce::Point<float> centre(static_cast<float>(*handle), band.getCentreY());
        const auto line = juce::Rectangle<float>(1.5f, band.getHeight()).withCentre(centre);
        const auto grip = juce::Rectangle<float>(gripWidth, gripHeight).withCentre(centre);
        // An edge in the background's colour separates both from the cells.
        graphics.setColour(palette.background.withAlpha(0.55f));
        graphics.fillRect(line.expanded(1.0f, 0.0f));
        graphics.fillRoundedRectangle(grip.expanded(1.0f), gripWidth / 2.0f + 1.0f);
        graphics.setColour(palette.text);
        graphics.fillRect(line);
        graphics.fillRoundedRectangle(grip, gripWidth / 2.0f);
    }
    const auto tag = juce::Rectangle<int>(lengthWidth(text_), lengthHeight)
                         .withCentre({band_.getCentreX(), band_.getY() + lengthHeight / 2 + 4})
                         .constrainedWithin(getLocalBounds());
    graphics.setColour(palette.background.withAlpha(0.8f));
    graphics.fillRoundedRectangle(tag.toFloat(), 3.0f);
    graphics.setColour(palette.text);
    graphics.setFont(lengthFont());
    Theme::drawNumber(graphics, text_, tag.toFloat(), juce::Justification::centred);
}

} // namespace earshot::ui
