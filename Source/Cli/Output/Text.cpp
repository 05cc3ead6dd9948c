#include "Cli/Output/Text.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <sstream>

namespace earshot::cli {

std::string clockTime(double seconds) { return clockReading(std::max(0.0, seconds), {.decimals = 2}); }

std::string byteCount(double bytes) {
    constexpr std::array<const char*, 4> units = {"B", "kB", "MB", "GB"};
    std::size_t unit = 0;
    while (bytes >= 1000.0 && unit + 1 < units.size()) {
        bytes /= 1000.0;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string counted(std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string groupedDigits(long long value) {
    std::string digits = std::to_string(value);
    const std::size_t first = digits.front() == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::optional<double> parseNumber(std::string_view text) {
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    double value = 0.0;
    stream >> std::noskipws >> value;
    if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string displayText(std::string_view text) { return visibleText(text, replacementCharacter); }

std::string padded(std::string_view utf8, std::size_t width) {
    const std::size_t used = displayWidth(utf8);
    return std::string(utf8) + std::string(width > used ? width - used : 0, ' ');
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace earshot::cli
