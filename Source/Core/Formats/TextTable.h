// The table of a recording's events for people: the command line prints it, and the views copy it as text.
// Pure functions: any thread.
#pragma once

#include "Core/Formats/EventFormats.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace earshot::formats {

// What a terminal wants before and after parts of the table; nothing where the text is plain.
struct TableStyle {
    std::string_view bold, faint, green, plain;
};

// "walk.wav  0:35.00, 48000 Hz, stereo, 6 sounds". Rate and channels are left out where they are 0.
std::string tableHeading(const RecordingEvents& recording, const TableStyle& style = {});

// From, to and length, in columns that fit ten hours.
std::string timeColumns(double onset, double offset);
// The columns that the longest name takes, at least those of their heading.
std::size_t nameColumns(std::span<const TimedEvent> events);
// The columns' headings and a line for each event: its times, its name over `nameWidth` columns, and its
// confidence, or its peak where thresholds decided.
std::string tableLines(std::span<const TimedEvent> events, std::size_t nameWidth,
                       const TableStyle& style = {});

} // namespace earshot::formats
