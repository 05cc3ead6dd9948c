#include "Core/Base/Numbers.h"

#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>

namespace earshot {

std::optional<double> parseNumber(std::string_view text) {
#ifdef __cpp_lib_to_chars // libc++ has it from version 20 on
    double quick = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quick);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(quick)) return quick;
#endif
    // The same elsewhere, and what else is a number, such as "+1".
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    double value = 0.0;
    stream >> std::noskipws >> value;
    if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<double> parseSeconds(std::string_view text) {
    constexpr std::size_t maxBytes = 64;
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return std::nullopt;
    text = text.substr(first, text.find_last_not_of(blanks) + 1 - first);
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.size() > maxBytes || text.front() == '-' || text.front() == '+')
        return std::nullopt;
    double whole = 0.0; // the hours and minutes before the last part, in the last part's unit
    for (int parts = 1; text.find(':') != std::string_view::npos; ++parts) {
        const auto part = text.substr(0, text.find(':'));
        const auto value = parseNumber(part);
        if (parts > 2 || part.find_first_not_of("0123456789") != std::string_view::npos || !value)
            return std::nullopt;
        whole = 60.0 * (whole + *value);
        text.remove_prefix(part.size() + 1);
        if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
    }
    std::string last(text);
    if (const auto comma = last.find(','); comma != std::string::npos && last.find('.') == std::string::npos)
        last[comma] = '.';
    const auto seconds = parseNumber(last);
    if (!seconds || (whole > 0.0 && *seconds >= 60.0)) return std::nullopt;
    return negative ? -(whole + *seconds) : whole + *seconds;
}

} // namespace earshot
