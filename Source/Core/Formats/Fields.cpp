#include "Core/Formats/Fields.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace earshot::formats {

namespace {

constexpr char32_t lineSeparator = 0x2028;
constexpr char32_t paragraphSeparator = 0x2029;

} // namespace

std::string jsonString(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string oneLine(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const auto [bytes, code] = takeCharacter(text);
        if (!code)
            line += replacementCharacter;
        else if (isControl(*code) || *code == lineSeparator || *code == paragraphSeparator)
            line += ' ';
        else
            line += bytes;
    }
    return line;
}

double finite(double number) { return std::isfinite(number) ? number : 0.0; }

std::int64_t milliseconds(double seconds) {
    constexpr double longest = 1000.0 * 365.25 * 24.0 * 3600.0;
    return std::llround(std::clamp(finite(seconds), 0.0, longest) * 1000.0);
}

std::string clockTime(std::int64_t milliseconds) {
    return clockReading(static_cast<double>(milliseconds) / 1000.0, {.decimals = 3});
}

} // namespace earshot::formats
