// Fields of text formats, out of text that may hold anything: a label of somebody's model, a file's name.
// Those of CSV are in Core/Base/Csv.h. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace earshot::formats {

// One line of UTF-8: control characters (tabs and line ends too) and Unicode's line separators become spaces,
// bytes that are not UTF-8 U+FFFD.
std::string oneLine(std::string_view text);

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

// The number, or 0 where it is none: no format knows infinity.
double finite(double number);

// From 0 to 1000 years, rounded.
std::int64_t milliseconds(double seconds);

// "m:ss.mmm", from an hour "h:mm:ss.mmm"
std::string clockTime(std::int64_t milliseconds);

} // namespace earshot::formats
