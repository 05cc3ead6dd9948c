#include "Ui/Timeline/LaneMarks.h"

#include <algorithm>
#include <span>

namespace earshot::ui {

namespace {

using detection::Event;

constexpr float corner = 5.0f;
constexpr float narrowest = 4.0f; // logical pixels; a narrower outline cannot be rounded
constexpr float narrowestMiss = 6.0f;
constexpr float labelInset = 6.0f;
constexpr float tagInset = 4.0f;
constexpr float tagHeight = 16.0f;
constexpr float signSize = 14.0f; // of a tick or a cross

// The events that reach into view. Events of a class do not overlap, so their ends are in order too.
std::span<const Event> inView(const std::vector<Event>& events, double start, double end) {
    const auto first =
        std::ranges::partition_point(events, [&](const Event& e) { return e.offset <= start; });
    const auto last =
        std::partition_point(first, events.end(), [&](const Event& e) { return e.onset < end; });
    return {first, last};
}

// Text stands on a tag of the background's colour, because the cells below may have any colour of the ramp.
void paintLabel(juce::Graphics& graphics, juce::Rectangle<float> span, const juce::String& name,
                const Palette& palette) {
    const auto font = Theme::font(11.0f, true);
    const auto tag = span.reduced(labelInset, 0.0f)
                         .withWidth(Theme::textWidth(font, name) + 2.0f * tagInset)
                         .withSizeKeepingCentre(Theme::textWidth(font, name) + 2.0f * tagInset, tagHeight);
    if (tag.getRight() > span.getRight() - labelInset) return;
    graphics.setColour(palette.background.withAlpha(0.7f));
    graphics.fillRoundedRectangle(tag, 3.0f);
    graphics.setColour(palette.text);
    graphics.setFont(font);
    graphics.drawText(name, tag, juce::Justification::centred, false);
}

void paintDashed(juce::Graphics& graphics, juce::Rectangle<float> span, juce::Colour colour) {
    juce::Path outline, dashes;
    outline.addRoundedRectangle(span.reduced(1.0f), corner);
    static constexpr float pattern[] = {3.0f, 3.0f};
    juce::PathStrokeType(1.0f).createDashedStroke(dashes, outline, pattern, 2);
    graphics.setColour(colour);
    graphics.fillPath(dashes);
}

} // namespace

// On a disc of the background's colour, because the cells below may have any colour of the ramp.
void paintVerdict(juce::Graphics& graphics, juce::Rectangle<float> area, bool right, const Palette& palette) {
    graphics.setColour(palette.background.withAlpha(0.8f));
    graphics.fillEllipse(area);
    juce::Path sign; // in a square of 14
    sign.startNewSubPath(4.2f, right ? 7.5f : 4.2f);
    sign.lineTo(right ? 6.2f : 9.8f, right ? 9.6f : 9.8f);
    if (!right) sign.startNewSubPath(9.8f, 4.2f);
    sign.lineTo(right ? 10.2f : 4.2f, right ? 4.6f : 9.8f);
    graphics.setColour(right ? palette.fine : palette.trouble);
    graphics.strokePath(
        sign, juce::PathStrokeType(1.8f),
        juce::AffineTransform::scale(area.getWidth() / signSize).translated(area.getX(), area.getY()));
}

juce::Rectangle<float> spanOn(const PixelGrid& grid, juce::Rectangle<float> lane, double onset,
                              double offset) {
    // Outlines far outside the view need not be exact.
    const float left = std::max(grid.x(onset), -2.0f * corner);
    const float right = std::min(grid.x(offset), lane.getWidth() + 2.0f * corner);
    return {lane.getX() + left, lane.getY(), std::max(0.0f, right - left), lane.getHeight()};
}

void LaneMarks::set(const detection::EventList& list, int classes) {
    lanes_.assign(static_cast<std::size_t>(classes), {});
    for (const auto& event : list.events)
        lanes_[static_cast<std::size_t>(event.classIndex)].events.push_back(event);
    for (const auto& miss : list.nearMisses)
        lanes_[static_cast<std::size_t>(miss.event.classIndex)].misses.push_back(miss.event);
}

bool LaneMarks::any(int classIndex, double start, double end) const {
    if (classIndex < 0 || static_cast<std::size_t>(classIndex) >= lanes_.size()) return false;
    const Lane& marks = lanes_[static_cast<std::size_t>(classIndex)];
    return !inView(marks.events, start, end).empty() || !inView(marks.misses, start, end).empty();
}

void LaneMarks::paint(juce::Graphics& graphics, juce::Rectangle<float> lane, int classIndex,
                      const PixelGrid& grid, const juce::String& name, detection::SoundFamily family,
                      const Palette& palette, const Review& review) const {
    if (classIndex < 0 || static_cast<std::size_t>(classIndex) >= lanes_.size()) return;
    const auto colour = palette.at(1.0f, family);
    const Lane& marks = lanes_[static_cast<std::size_t>(classIndex)];
    const double start = grid.seconds(grid.first);
    const double end = grid.seconds(grid.first + grid.width);
    for (const Event& miss : inView(marks.misses, start, end)) {
        const auto span = spanOn(grid, lane, miss.onset, miss.offset);
        if (span.getWidth() >= narrowestMiss) paintDashed(graphics, span, palette.secondary.withAlpha(0.75f));
    }
    float last = -1.0f; // at low zoom events share pixels, and one line is enough
    for (const Event& event : inView(marks.events, start, end)) {
        const auto span = spanOn(grid, lane, event.onset, event.offset);
        graphics.setColour(colour);
        if (span.getWidth() < narrowest) {
            if (span.getX() - last >= 1.0f) graphics.fillRect(span.withWidth(1.0f));
            last = span.getX();
            continue;
        }
        // The cells may have the same colour, so an edge in the background's colour separates it from them.
        graphics.setColour(palette.background.withAlpha(0.55f));
        graphics.drawRoundedRectangle(span.reduced(1.25f), corner, 2.5f);
        graphics.setColour(colour);
        graphics.drawRoundedRectangle(span.reduced(0.75f), corner, 1.5f);
        paintLabel(graphics, span.getIntersection(lane), name, palette);
        if (const auto verdict = review.of(event); verdict && span.getWidth() >= signSize)
            paintVerdict(graphics,
                         span.getIntersection(lane)
                             .withTrimmedTop(2.0f)
                             .withTrimmedRight(2.0f)
                             .removeFromRight(signSize)
                             .removeFromTop(signSize),
                         *verdict, palette);
    }
}

} // namespace earshot::ui
