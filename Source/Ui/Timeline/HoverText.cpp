#include "Ui/Timeline/HoverText.h"

#include <fmt/format.h>

#include <cmath>

namespace earshot::ui {

namespace {

constexpr const char* dot = " \xc2\xb7 ";

juce::String number(double value, int decimals = 2) {
    return juce::String(fmt::format("{:.{}f}", value, decimals));
}

// Never rounded up: what is advised has to work.
juce::String roundedDown(double value, double step, int decimals) {
    return number(std::floor(value / step + 1e-6) * step, decimals);
}

} // namespace

juce::String letIn(const detection::NearMiss& miss) {
    switch (miss.reason) {
    case detection::Rejection::belowThreshold:
        return "Lower the threshold of this sound to " + roundedDown(miss.found, 0.01, 2) + " to let it in.";
    case detection::Rejection::filtered:
        return "A shorter median filter would let it in.";
    case detection::Rejection::unsure:
        return "A least confidence of " + roundedDown(miss.found, 0.01, 2) + " would let it in.";
    case detection::Rejection::tooShort:
        return "Set the shortest length to " + roundedDown(miss.found, 0.01, 2) + " s to let it in.";
    }
    return {};
}

HoverText laneText(const Watcher& watcher, int classIndex, double seconds) {
    HoverText text;
    const auto* timeline = watcher.history().timeline.get();
    if (timeline == nullptr || classIndex < 0 || classIndex >= timeline->classes()) return text;
    const juce::String middle = juce::String::fromUTF8(dot);
    text.title = watcher.label(classIndex) + middle + watcher.timeText(seconds);
    const auto column = static_cast<std::int64_t>(std::floor(seconds / timeline->secondsPerColumn()));
    if (column < 0 || column >= timeline->columns()) return text;
    text.title +=
        middle + number(static_cast<double>(timeline->column(column)[static_cast<std::size_t>(classIndex)]));
    if (const auto* event = watcher.events().eventAt(classIndex, seconds)) {
        text.detail = "Event " + watcher.timeText(event->onset) + " to " + watcher.timeText(event->offset) +
                      ", peak " + number(static_cast<double>(event->peak));
    } else if (const auto* miss = watcher.events().nearMissAt(classIndex, seconds)) {
        text.detail = juce::String(detection::explain(*miss)) + ".";
        text.advice = letIn(*miss);
    }
    return text;
}

HoverText spectrogramText(const Watcher& watcher, double seconds, double hertz) {
    const juce::String frequency = hertz >= 1000.0 ? number(hertz / 1000.0, hertz < 10'000.0 ? 2 : 1) + " kHz"
                                                   : number(hertz, 0) + " Hz";
    return {watcher.timeText(seconds) + juce::String::fromUTF8(dot) + frequency, {}, {}};
}

} // namespace earshot::ui
