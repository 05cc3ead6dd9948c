#include "Ui/Timeline/HoverTip.h"

#include "Ui/Panels/Widgets.h"
#include "Ui/Theme.h"
#include "Ui/WordLanes.h"

#include <fmt/format.h>

#include <cmath>

namespace earshot::ui {

namespace {

constexpr int inset = 14;
constexpr int lineHeight = 20;
constexpr int buttonWidth = 84;
constexpr int maxNameLength = 48; // characters
constexpr int maxLineLength = 64;
constexpr int maxWordLength = 4 * maxLineLength;

juce::Font titleFont() { return Theme::font(12.0f, true); }
juce::Font lineFont() { return Theme::font(11.0f); }

constexpr const char* dot = " \xc2\xb7 ";

juce::String number(double value, int decimals = 2) {
    return juce::String(fmt::format("{:.{}f}", value, decimals));
}

// Lines of a long text, broken at spaces where there are some.
juce::StringArray inLines(juce::String text) {
    juce::StringArray lines;
    while (text.length() > maxLineLength) {
        const int space = text.substring(0, maxLineLength).lastIndexOfChar(' ');
        const int end = space > maxLineLength / 2 ? space : maxLineLength;
        lines.add(text.substring(0, end).trimEnd());
        text = text.substring(end).trimStart();
    }
    if (text.isNotEmpty()) lines.add(text);
    return lines;
}

// Rounds down, because the advised value must work.
juce::String roundedDown(double value, double step, int decimals) {
    return number(std::floor(value / step + 1e-6) * step, decimals);
}

} // namespace

juce::String letIn(const detection::NearMiss& miss) {
    switch (miss.reason) {
    case detection::Rejection::belowThreshold:
        return "Set this sound's threshold to " +
               number(static_cast<double>(thresholdFor(miss)), thresholdFor(miss) < 0.01f ? 4 : 2) +
               " to include it.";
    case detection::Rejection::filtered:
        return "A shorter median filter would include it.";
    case detection::Rejection::unsure:
        return "On the command line, --confidence " + roundedDown(miss.found, 0.01, 2) + " includes it.";
    case detection::Rejection::tooShort:
        return "Set the shortest length to " + roundedDown(miss.found, 0.01, 2) + " s to include it.";
    }
    return {};
}

float thresholdFor(const detection::NearMiss& miss) {
    if (miss.reason != detection::Rejection::belowThreshold) return 0.0f;
    const double rounded = std::floor(miss.found / 0.01 + 1e-6) * 0.01;
    return static_cast<float>(rounded > 0.0 ? rounded : 0.9 * miss.found);
}

HoverText wordText(const HistoryViewModel& viewModel, int classIndex) {
    const auto* labels = viewModel.history().labels.get();
    const auto* word = labels != nullptr ? wordOf(viewModel.words(), *labels, classIndex) : nullptr;
    if (word == nullptr) return {};
    HoverText text;
    const auto label = viewModel.label(classIndex);
    text.title = shortened(label, maxNameLength);
    if (word->text != word->name || text.title != label)
        text.word = inQuotes(toText(word->text), maxWordLength);
    return text;
}

HoverText laneText(const HistoryViewModel& viewModel, int classIndex, double seconds) {
    HoverText text = wordText(viewModel, classIndex);
    const auto* timeline = viewModel.history().timeline.get();
    if (timeline == nullptr || classIndex < 0 || classIndex >= timeline->classes()) return {};
    const juce::String middle = juce::String::fromUTF8(dot);
    text.title = shortened(viewModel.label(classIndex), maxNameLength) + middle + viewModel.timeText(seconds);
    const auto column = static_cast<std::int64_t>(std::floor(seconds / timeline->secondsPerColumn()));
    if (column < 0 || column >= timeline->columns()) return text;
    if (column < timeline->firstKept())
        text.detail = "Columns are kept from " + viewModel.timeText(timeline->start(timeline->firstKept())) +
                      " on; events stay.";
    else
        text.title +=
            middle +
            number(static_cast<double>(timeline->column(column)[static_cast<std::size_t>(classIndex)]));
    if (const auto* event = viewModel.events().eventAt(classIndex, seconds)) {
        text.detail = "Event " + viewModel.timeText(event->onset) + " to " +
                      viewModel.timeText(event->offset) + ", peak " +
                      number(static_cast<double>(event->peak));
        if (event->confidence > 0.0f)
            text.detail += ", confidence " + number(static_cast<double>(event->confidence));
        else
            text.detail += ", threshold " +
                           number(static_cast<double>(viewModel.eventSettings().ruleFor(classIndex).on));
    } else if (const auto* miss = viewModel.events().nearMissAt(classIndex, seconds)) {
        text.detail = juce::String(detection::explain(*miss)) + ".";
        text.advice = letIn(*miss);
        text.includes = thresholdFor(*miss);
    }
    return text;
}

HoverText spectrogramText(const HistoryViewModel& viewModel, double seconds, double hertz) {
    const juce::String frequency = hertz >= 1000.0 ? number(hertz / 1000.0, hertz < 10'000.0 ? 2 : 1) + " kHz"
                                                   : number(hertz, 0) + " Hz";
    return {viewModel.timeText(seconds) + juce::String::fromUTF8(dot) + frequency, {}, {}, {}};
}

HoverTip::HoverTip() {
    setInterceptsMouseClicks(false, true);
    setVisible(false);
    describeWithTooltip(include, "Include it", "Set this sound's threshold just below the peak (I)");
    describeWithTooltip(notThis, "Not this", "Add it as an example of what the taught sound is not");
    for (juce::TextButton* button :
         {static_cast<juce::TextButton*>(&include), static_cast<juce::TextButton*>(&notThis)}) {
        button->setMouseClickGrabsKeyboardFocus(false);
        addChildComponent(button);
    }
}

juce::StringArray HoverTip::lines() const {
    auto all = inLines(text_.word);
    if (text_.detail.isNotEmpty()) all.add(text_.detail);
    if (pinned_ && text_.advice.isNotEmpty()) all.add(text_.advice);
    return all;
}

juce::String HoverTip::text() const {
    juce::StringArray all;
    for (const auto& line : {text_.title, text_.word, text_.detail, pinned_ ? text_.advice : juce::String()})
        if (line.isNotEmpty()) all.add(line);
    return all.joinIntoString("\n");
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
    if (!pinned) {
        include.setVisible(false);
        notThis.setVisible(false);
    }
    const juce::Rectangle<int> box(
        std::max(static_cast<int>(std::ceil(width)), acts() ? 2 * buttonWidth + size::gap : 0) + 2 * inset,
        (lines().size() + 1) * lineHeight + inset + (acts() ? size::control + size::gap : 0));
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
    include.setVisible(false);
    notThis.setVisible(false);
    setVisible(false);
}

void HoverTip::resized() {
    auto row = getLocalBounds().reduced(inset, size::gap).removeFromBottom(size::control);
    for (juce::TextButton* button :
         {static_cast<juce::TextButton*>(&include), static_cast<juce::TextButton*>(&notThis)}) {
        if (!button->isVisible()) continue;
        button->setBounds(row.removeFromLeft(buttonWidth));
        row.removeFromLeft(size::gap);
    }
}

void HoverTip::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    auto area = getLocalBounds().toFloat();
    graphics.setColour(palette.raised);
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
