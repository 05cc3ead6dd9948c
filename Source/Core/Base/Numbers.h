// Numbers in texts that programs write. Pure functions: any thread.
#pragma once

#include <optional>
#include <string_view>

namespace earshot {

// A finite decimal number, and nothing else around it.
std::optional<double> parseNumber(std::string_view text);

// A time in seconds as people and programs write it: "9.25", "9,25" (a decimal comma), "1:09.25" and
// "2:01:09,25" (minutes and hours before it), with a sign and blanks around it. No other separators, and
// nothing behind it.
std::optional<double> parseSeconds(std::string_view text);

} // namespace earshot
