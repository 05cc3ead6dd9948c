// Small pieces of text for people and for files. Pure functions, independent of the locale.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::cli {

// "0:03.20", "1:02:03.20"
std::string clockTime(double seconds);
// "12.3 MB"
std::string byteCount(double bytes);
// "1 recording", "2 recordings"
std::string counted(std::size_t count, const char* one, const char* many);
// "31,123,456"
std::string groupedDigits(long long value);

// A finite decimal number and nothing else.
std::optional<double> parseNumber(std::string_view text);

// One line that shows all there is (visibleText() in Core/Base/Unicode.h); invalid bytes become U+FFFD.
std::string displayText(std::string_view text);
// Filled with spaces to at least `width` columns of a terminal.
std::string padded(std::string_view utf8, std::size_t width);

// ASCII letters in lower case; other characters unchanged.
std::string lowerCase(std::string_view text);

} // namespace earshot::cli
