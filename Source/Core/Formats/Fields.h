// Makes fields of text formats from text of strangers, such as a label of a model or a file name. Those of
// CSV are in Core/Base/Csv.h. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace earshot::formats {

// One line of UTF-8. Control characters (also tabs and line ends) and Unicode's line separators become
// spaces. Bytes that are not UTF-8 become U+FFFD.
std::string oneLine(std::string_view text);

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

// The number, or 0 if it is not finite: no format knows infinity.
double finite(double number);

// Milliseconds, rounded, clamped to [0, 1000 years].
std::int64_t milliseconds(double seconds);

// "m:ss.mmm", from an hour "h:mm:ss.mmm"
std::string clockTime(std::int64_t milliseconds);

} // namespace earshot::formats
