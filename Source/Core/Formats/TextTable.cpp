#include "Core/Formats/TextTable.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::formats {

namespace {

constexpr std::size_t barWidth = 10; // columns for probability 1

std::string bar(float probability) {
    const auto filled = static_cast<std::size_t>(std::clamp(
        std::lround(static_cast<double>(probability) * barWidth), 0L, static_cast<long>(barWidth)));
    std::string text;
    for (std::size_t i = 0; i < barWidth; ++i)
        text += i < filled ? "\u2588" : "\u2591"; // full block, light shade
    return text;
}

std::string styled(std::string_view before, const std::string& text, const TableStyle& style) {
    return fmt::format("{}{}{}", before, text, style.plain);
}

std::string clock(double seconds) { return clockReading(seconds, {.decimals = 2}); }

std::string channelText(int channels) {
    if (channels == 1) return "mono";
    if (channels == 2) return "stereo";
    return fmt::format("{} channels", channels);
}

} // namespace

std::string tableHeading(const RecordingEvents& recording, const TableStyle& style) {
    std::string facts = "  " + clock(recording.seconds);
    if (recording.sampleRate > 0) facts += fmt::format(", {} Hz", recording.sampleRate);
    if (recording.channels > 0) facts += ", " + channelText(recording.channels);
    if (recording.start)
        facts += ", from " + dateText(*recording.start) + " " + timeText(*recording.start) +
                 (recording.start->offset ? " " + offsetText(*recording.start->offset) : "");
    const auto count = recording.events.size();
    facts += fmt::format(", {} {}", count, count == 1 ? "sound" : "sounds");
    if (!recording.complete) facts += ", incomplete";
    return styled(style.bold, displayText(recording.file), style) + styled(style.faint, facts, style) + "\n";
}

std::string timeColumns(double onset, double offset) {
    return fmt::format("{:>11} {:>11} {:>9.2f} s", clock(onset), clock(offset), offset - onset);
}

std::size_t nameColumns(std::span<const TimedEvent> events) {
    std::size_t width = 5; // "sound"
    for (const TimedEvent& event : events)
        width = std::max(width, displayWidth(displayText(labelWithChannel(event))));
    return width;
}

std::string tableLines(std::span<const TimedEvent> events, std::size_t nameWidth, const TableStyle& style) {
    const bool sebbs = !events.empty() && events.front().confidence > 0.0f;
    std::string text = styled(style.faint,
                              fmt::format("{:>11} {:>11} {:>11}  {}  {}", "from", "to", "length",
                                          padded("sound", nameWidth), sebbs ? "confidence" : "peak"),
                              style) +
                       "\n";
    for (const TimedEvent& event : events) {
        const float value = sebbs ? event.confidence : event.peak;
        text +=
            fmt::format("{}  {}  {:.2f} {}\n", timeColumns(event.onset, event.offset),
                        styled(style.bold, padded(displayText(labelWithChannel(event)), nameWidth), style),
                        value, styled(style.green, bar(value), style));
    }
    return text;
}

} // namespace earshot::formats
