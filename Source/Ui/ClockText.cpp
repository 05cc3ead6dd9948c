#include "Ui/ClockText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::ui {

juce::String clockText(double seconds, int decimals) {
    if (!std::isfinite(seconds)) return "--:--";
    constexpr double longest = 1e9; // past it the digits of a second are gone anyway
    const auto scale = static_cast<long long>(std::lround(std::pow(10.0, decimals)));
    // Rounded first, so that 59.96 s are "01:00.0" and never "00:60.0".
    const long long units = std::llround(std::clamp(seconds, -longest, longest) * static_cast<double>(scale));
    const long long absolute = std::abs(units);
    const long long whole = absolute / scale;
    std::string text = units < 0 ? "-" : "";
    if (whole >= 3600)
        text += fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    else
        text += fmt::format("{:02}:{:02}", whole / 60, whole % 60);
    if (decimals > 0) text += fmt::format(".{:0{}}", absolute % scale, decimals);
    return text;
}

} // namespace earshot::ui
