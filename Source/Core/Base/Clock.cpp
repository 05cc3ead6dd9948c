#include "Core/Base/Clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace earshot {

std::string clockReading(double seconds, ClockForm form) {
    if (!std::isfinite(seconds)) return "--:--";
    constexpr double longest = 1e12; // beyond it a double has no fraction of a second
    const long long scale = std::llround(std::pow(10.0, form.decimals));
    const long long units = std::llround(std::clamp(seconds, -longest, longest) * static_cast<double>(scale));
    const long long absolute = std::abs(units);
    const long long whole = absolute / scale;
    std::string text = units < 0 ? "-" : "";
    if (form.hours || whole >= 3600)
        text += fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    else
        text += fmt::format("{:0{}}:{:02}", whole / 60, form.wideMinutes ? 2 : 1, whole % 60);
    if (form.decimals > 0) text += fmt::format(".{:0{}}", absolute % scale, form.decimals);
    return text;
}

double roundStep(double pixelsPerSecond, double apart, double shortest) {
    static constexpr std::array steps = {0.01,  0.02,  0.05,   0.1,    0.2,    0.5,    1.0,    2.0,
                                         5.0,   10.0,  15.0,   30.0,   60.0,   120.0,  300.0,  600.0,
                                         900.0, 1800., 3600.0, 7200.0, 10800., 21600., 43200., 86400.0};
    for (const double step : steps)
        if (step >= shortest && step * pixelsPerSecond >= apart) return step;
    return std::ceil(apart / pixelsPerSecond / steps.back()) * steps.back();
}

std::vector<TimeTick> timeTicks(double seconds, double width, double apart) {
    std::vector<TimeTick> ticks;
    if (!(seconds > 0.0)) return ticks;
    const double step = roundStep(width / seconds, apart);
    const ClockForm form{.decimals = step < 0.1 ? 2 : step < 1.0 ? 1 : 0, .hours = seconds >= 3600.0};
    for (int k = 0; k * step <= seconds; ++k)
        ticks.push_back({k * step / seconds * width, clockReading(k * step, form)});
    return ticks;
}

} // namespace earshot
