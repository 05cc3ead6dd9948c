#include "Ui/Timeline/Ticks.h"

#include "Ui/ClockText.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace earshot::ui {

namespace {

constexpr double fewestPixels = 90.0; // logical, between ticks: room for "1:01:02.5"
constexpr float jumpApart = 4.0f;     // logical pixels: more jumps than that cannot be told apart

} // namespace

double tickStep(double pixelsPerSecond, double fewest) {
    static constexpr std::array steps = {0.5,   1.0,    2.0,    5.0,    10.0,   15.0,   30.0,
                                         60.0,  120.0,  300.0,  600.0,  900.0,  1800.0, 3600.0,
                                         7200., 14400., 21600., 43200., 86400.0};
    for (const double step : steps)
        if (step * pixelsPerSecond >= fewest) return step;
    return std::ceil(fewest / pixelsPerSecond / steps.back()) * steps.back();
}

Ticks ticksOn(const PixelGrid& grid, const streaming::TimeMap& times) {
    const double step = tickStep(grid.pixelsPerSecond / static_cast<double>(grid.scale), fewestPixels);
    const int decimals = step < 10.0 ? 1 : 0;
    const double viewStart = grid.seconds(grid.first);
    const double viewEnd = grid.seconds(grid.first + grid.width);
    Ticks ticks;
    const auto addStretch = [&](double from, double to, double shownAtFrom) {
        from = std::max(from, viewStart);
        for (double k = std::ceil(shownAtFrom / step - 1e-9);; k += 1.0) {
            const double stream = from + k * step - shownAtFrom;
            if (!(stream < std::min(to, viewEnd))) break;
            const float x = grid.x(stream);
            // After a jump the labels begin anew; one that would lie over the last is left out.
            if (!ticks.times.empty() && x - ticks.times.back().x < static_cast<float>(fewestPixels) * 0.7f)
                continue;
            ticks.times.push_back({x, clockText(k * step, decimals)});
        }
    };

    const auto segments = times.segments();
    double begin = 0.0;
    for (std::size_t i = 0; i <= segments.size(); ++i) {
        const double next = i < segments.size() ? segments[i].stream : viewEnd;
        if (next > viewStart && begin < viewEnd && next > begin) {
            const double from = std::max(begin, viewStart);
            addStretch(from, next, times.shown(from));
        }
        if (i == segments.size()) break;
        begin = next;
        const bool visible = begin > viewStart && begin < viewEnd && begin > 0.0;
        const double before = i == 0 ? begin : segments[i - 1].shown + begin - segments[i - 1].stream;
        const bool jumps = std::abs(segments[i].shown - before) > 1e-3;
        const float x = grid.x(begin);
        if (visible && jumps && (ticks.jumps.empty() || x - ticks.jumps.back() >= jumpApart))
            ticks.jumps.push_back(x);
    }
    return ticks;
}

} // namespace earshot::ui
