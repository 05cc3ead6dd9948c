#include "Core/Pictures/TimeTicks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace earshot::pictures {

namespace {

std::string clock(double seconds, int decimals, bool hours) {
    const auto scale = std::llround(std::pow(10.0, decimals));
    // Rounded first, so that 59.96 s are "1:00.0" and never "0:60.0".
    const long long units = std::llround(seconds * static_cast<double>(scale));
    const long long whole = units / scale;
    std::string text = hours || whole >= 3600
                           ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                           : fmt::format("{}:{:02}", whole / 60, whole % 60);
    if (decimals > 0) text += fmt::format(".{:0{}}", units % scale, decimals);
    return text;
}

double stepFor(double pixelsPerSecond, double apart) {
    static constexpr std::array steps = {0.01,  0.02,  0.05,   0.1,    0.2,    0.5,    1.0,    2.0,
                                         5.0,   10.0,  15.0,   30.0,   60.0,   120.0,  300.0,  600.0,
                                         900.0, 1800., 3600.0, 7200.0, 10800., 21600., 43200., 86400.0};
    for (const double step : steps)
        if (step * pixelsPerSecond >= apart) return step;
    return std::ceil(apart / pixelsPerSecond / steps.back()) * steps.back();
}

} // namespace

std::string clockText(double seconds, int decimals) { return clock(seconds, decimals, false); }

std::vector<TimeTick> timeTicks(double seconds, double width, double apart) {
    std::vector<TimeTick> ticks;
    if (!(seconds > 0.0)) return ticks;
    const double step = stepFor(width / seconds, apart);
    const int decimals = step < 0.1 ? 2 : step < 1.0 ? 1 : 0;
    for (int k = 0; k * step <= seconds; ++k)
        ticks.push_back({k * step / seconds * width, clock(k * step, decimals, seconds >= 3600.0)});
    return ticks;
}

} // namespace earshot::pictures
