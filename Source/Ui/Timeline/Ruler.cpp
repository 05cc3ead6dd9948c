#include "Ui/Timeline/Ruler.h"

#include "Ui/Theme.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::ui {

namespace {

constexpr double minPixels = 90.0; // logical, between ticks: room for "1:01:02.5"
constexpr double minStep = 0.05;   // seconds
constexpr float jumpApart = 4.0f;  // logical pixels; closer jumps cannot be told apart

} // namespace

Ticks ticksOn(const PixelGrid& grid, const streaming::TimeMap& times, const std::optional<WallTime>& began) {
    const double step = roundStep(grid.pixelsPerSecond / static_cast<double>(grid.scale), minPixels, minStep);
    const int decimals = step < 0.5 ? 2 : step < 10.0 ? 1 : 0;
    const double viewStart = grid.seconds(grid.first);
    const double viewEnd = grid.seconds(grid.first + grid.width);
    // Round times of day are round seconds since midnight.
    constexpr std::int64_t day = 86'400'000; // milliseconds
    const double origin = began ? static_cast<double>(began->milliseconds % day) / 1000.0 : 0.0;
    Ticks ticks;
    const auto addStretch = [&](double from, double to, double shownAtFrom, double rate) {
        if (rate == 0.0) return; // the host stands still
        const double way = rate < 0.0 ? -1.0 : 1.0;
        for (double k = way * std::ceil(way * shownAtFrom / step - 1e-9);; k += way) {
            const double stream = from + (k * step - shownAtFrom) / rate;
            if (!(stream < std::min(to, viewEnd))) break;
            const float x = grid.x(stream);
            // After a jump the labels begin anew. One that would overlap the last is left out.
            if (!ticks.times.empty() && x - ticks.times.back().x < static_cast<float>(minPixels) * 0.7f)
                continue;
            ticks.times.push_back({x, clockText(began, k * step - origin, decimals)});
        }
    };

    const auto segments = times.segments();
    double begin = 0.0;
    streaming::TimeSegment before; // shows stream time
    for (std::size_t i = 0; i <= segments.size(); ++i) {
        const double next = i < segments.size() ? segments[i].stream : viewEnd;
        if (next > viewStart && begin < viewEnd && next > begin) {
            const double from = std::max(begin, viewStart);
            addStretch(from, next, origin + times.shown(from), before.rate);
        }
        if (i == segments.size()) break;
        begin = next;
        const bool visible = begin > viewStart && begin < viewEnd && begin > 0.0;
        const bool jumps = segments[i].jumpsFrom(before);
        before = segments[i];
        const float x = grid.x(begin);
        if (visible && jumps && (ticks.jumps.empty() || x - ticks.jumps.back() >= jumpApart))
            ticks.jumps.push_back(x);
    }
    return ticks;
}

Ruler::Ruler(HistoryViewModel& viewModel, TimeAxis& axis)
    : viewModel_(viewModel)
    , axis_(axis) {
    setInterceptsMouseClicks(false, false);
}

void Ruler::setLoop(const std::optional<streaming::FilePlayer::Loop>& loop) {
    if (std::exchange(loop_, loop) != loop) repaint();
}

void Ruler::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    if (loop_) {
        const auto from = static_cast<float>(axis_.x(loop_->onset, getWidth()));
        const auto to = static_cast<float>(axis_.x(loop_->offset, getWidth()));
        const auto area = getLocalBounds().toFloat();
        graphics.setColour(palette.accent.withAlpha(0.3f));
        graphics.fillRect(area.getIntersection({from, 0.0f, std::max(1.0f, to - from), area.getHeight()}));
    }
    const auto scale = graphics.getInternalContext().getPhysicalPixelScaleFactor();
    const auto ticks =
        ticksOn(PixelGrid::of(axis_, getWidth(), scale), viewModel_.times(), viewModel_.began());
    const auto height = static_cast<float>(getHeight());
    const auto font = Theme::font(11.0f);
    graphics.setFont(font);
    for (const auto& tick : ticks.times) {
        graphics.setColour(palette.line);
        graphics.fillRect(tick.x, 4.0f, 1.0f, height - 4.0f);
        graphics.setColour(palette.secondary);
        if (tick.x + 4.0f + Theme::textWidth(font, tick.text) <= static_cast<float>(getWidth()))
            Theme::drawNumber(graphics, tick.text, {tick.x + 4.0f, 0.0f, 90.0f, height - 4.0f},
                              juce::Justification::centredLeft);
    }
    graphics.setColour(palette.accent.withAlpha(0.8f));
    for (const float x : ticks.jumps) {
        juce::Path mark;
        mark.addTriangle(x - 4.0f, height - 6.0f, x + 4.0f, height - 6.0f, x, height);
        graphics.fillPath(mark);
    }
}

} // namespace earshot::ui
