#include "Core/Formats/Fields.h"

#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace earshot::formats {

namespace {

// Bytes of the control character or line separator at `position` of UTF-8 text; 0 when there is another one.
std::size_t controlLength(std::string_view text, std::size_t position) {
    const std::string_view rest = text.substr(position, 3);
    const auto byte = [&](std::size_t i) {
        return i < rest.size() ? static_cast<std::uint8_t>(rest[i]) : 0u;
    };
    if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
    if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2; // U+0080 to U+009F
    return rest == "\xe2\x80\xa8" || rest == "\xe2\x80\xa9" ? 3 : 0;
}

// Nearly all text is.
bool isPlain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

} // namespace

std::string jsonString(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string oneLine(std::string_view text) {
    if (isPlain(text)) return std::string(text);
    const std::string valid = validUtf8(text);
    std::string line;
    for (std::size_t i = 0; i < valid.size();) {
        const std::size_t control = controlLength(valid, i);
        line += control == 0 ? valid[i] : ' ';
        i += std::max<std::size_t>(control, 1);
    }
    return line;
}

double finite(double number) { return std::isfinite(number) ? number : 0.0; }

std::int64_t milliseconds(double seconds) {
    constexpr double longest = 1000.0 * 365.25 * 24.0 * 3600.0;
    return std::llround(std::clamp(finite(seconds), 0.0, longest) * 1000.0);
}

std::string clockTime(std::int64_t milliseconds) {
    const auto seconds = milliseconds / 1000;
    const auto hours = seconds / 3600;
    const auto minutes = seconds / 60 % 60;
    if (hours == 0) return fmt::format("{}:{:02}.{:03}", minutes, seconds % 60, milliseconds % 1000);
    return fmt::format("{}:{:02}:{:02}.{:03}", hours, minutes, seconds % 60, milliseconds % 1000);
}

} // namespace earshot::formats
