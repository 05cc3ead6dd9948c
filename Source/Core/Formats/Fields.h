// Makes fields of text formats from arbitrary text: labels of any model, names of files. Core/Base/Csv.h
// makes those of CSV. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace earshot::formats {

// Returns one line of UTF-8: control characters (including tabs and line ends) and Unicode's line separators
// become spaces, bytes that are not UTF-8 become U+FFFD.
std::string oneLine(std::string_view text);

// Returns a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

// Returns the number, or 0 if it is not finite: no format can express infinity.
double finite(double number);

// Rounds to milliseconds and clamps to 0 to 1000 years.
std::int64_t milliseconds(double seconds);

// Returns "m:ss.mmm", or "h:mm:ss.mmm" from one hour on.
std::string clockTime(std::int64_t milliseconds);

} // namespace earshot::formats
