// Date and time as a clock on the wall shows them: when a recording began, and when a sound in it began. They
// never depend on this machine's time zone. Pure functions: any thread. Reference: ISO 8601.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace earshot {

struct WallTime {
    std::int64_t milliseconds = 0;  // since 1970-01-01 00:00 on that clock
    std::optional<int> offset = {}; // seconds by which the clock is ahead of UTC; null: not known

    bool operator==(const WallTime&) const = default;
};

// The parts of a date and time. Months and days count from 1.
struct WallFields {
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int millisecond = 0;
};

// Null for a date that does not exist, or lies outside 1970 to 2099, and for a time that no clock shows.
std::optional<WallTime> wallTimeOf(const WallFields& fields, std::optional<int> offset = {});
WallFields fieldsOf(const WallTime& time);

// What the same clock shows so many seconds later. It keeps its offset, so that times do not jump in a night
// in which a zone changes its clocks.
WallTime later(const WallTime& time, double seconds);
// Seconds from `from` to `to`: in UTC if both offsets are known, else as the clocks show it.
double secondsBetween(const WallTime& from, const WallTime& to);

std::string dateText(const WallTime& time, char separator = '-'); // "2026-10-25"
// "02:30:00" or "02:30:00.250"
std::string timeText(const WallTime& time, bool milliseconds = false);
std::string offsetText(int seconds); // "+02:00"
// "2026-10-25T02:30:00.250-05:00", without an offset if it is not known
std::string isoText(const WallTime& time);

// A time in a text, and where it stands.
struct FoundTime {
    WallTime time;
    std::size_t begin = 0;
    std::size_t end = 0; // behind its last character
};

// The first date with a time in a text, in the forms that recorders and people write:
//   20261025_023000, 20261025T023000Z, 2026-10-25 02:30, 2026-10-25_02-30-00.250, 20261025023000
//   261025_023000 and 261025023000, with a year of two digits
// An offset may follow: Z, +02:00, -0500. A number of four digits is no time, because recorders count so.
std::optional<FoundTime> findWallTime(std::string_view text);
// The whole text as a time in one of these forms; null if it is something else or more.
std::optional<WallTime> parseWallTime(std::string_view text);
// The offset that a text such as "+05:30", "-0500", "+2", "UTC" or "Z" states, in seconds.
std::optional<int> parseOffset(std::string_view text);

} // namespace earshot
