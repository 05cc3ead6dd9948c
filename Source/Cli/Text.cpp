#include "Cli/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <sstream>

namespace earshot::cli {

namespace {

bool continuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

// Bytes of the valid UTF-8 character at the beginning of `text`, or 0 (RFC 3629, table 3-7 of Unicode).
std::size_t characterLength(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2u
                               : lead >= 0xe0 && lead <= 0xef ? 3u
                               : lead >= 0xf0 && lead <= 0xf4 ? 4u
                                                              : 0u;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (!continuesCharacter(text[i])) return 0;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
        (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
        return 0;
    return length;
}

} // namespace

std::string clockTime(double seconds) {
    const long long hundredths = std::llround(std::max(0.0, seconds) * 100.0);
    const long long minutes = hundredths / 6000;
    const double rest = static_cast<double>(hundredths % 6000) / 100.0;
    if (minutes < 60) return fmt::format("{}:{:05.2f}", minutes, rest);
    return fmt::format("{}:{:02}:{:05.2f}", minutes / 60, minutes % 60, rest);
}

std::string byteCount(double bytes) {
    constexpr std::array<const char*, 4> units = {"B", "kB", "MB", "GB"};
    std::size_t unit = 0;
    while (bytes >= 1000.0 && unit + 1 < units.size()) {
        bytes /= 1000.0;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
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

std::string displayText(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const std::size_t length = characterLength(text);
        const auto lead = static_cast<unsigned char>(text.front());
        if (length == 0) {
            shown += "\xef\xbf\xbd";
        } else if (lead < 0x20 || lead == 0x7f) {
            shown += '?';
        } else {
            shown += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return shown;
}

std::size_t displayWidth(std::string_view utf8) {
    return static_cast<std::size_t>(
        std::count_if(utf8.begin(), utf8.end(), [](char byte) { return !continuesCharacter(byte); }));
}

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
