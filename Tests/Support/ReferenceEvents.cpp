#include "Support/ReferenceEvents.h"

#include "Core/Detection/Timeline.h"

#include <algorithm>

namespace earshot::test {

using namespace detection;

namespace {

using Runs = std::vector<Run>;

// Maximal runs of columns at or above `threshold`.
Runs runsAtOrAbove(std::span<const float> values, float threshold) {
    Runs runs;
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
        if (!(values[static_cast<std::size_t>(i)] >= threshold)) continue;
        if (runs.empty() || runs.back().last != i - 1) runs.push_back({i, i});
        runs.back().last = i;
    }
    return runs;
}

std::span<const float> within(const Run& run, std::span<const float> values) {
    return values.subspan(static_cast<std::size_t>(run.first),
                          static_cast<std::size_t>(run.last - run.first + 1));
}

float peakOf(const Run& run, std::span<const float> values) { return std::ranges::max(within(run, values)); }

bool overlapsAny(const Run& run, const Runs& runs) {
    return std::ranges::any_of(
        runs, [&](const Run& other) { return run.first <= other.last && other.first <= run.last; });
}

void appendClass(const Timeline& timeline, int classIndex, const EventRule& rule, EventList& list) {
    const std::int64_t kept = timeline.firstKept();
    std::vector<float> values(static_cast<std::size_t>(timeline.columns() - kept));
    timeline.row(classIndex, kept, values);
    const auto filtered = medianFilter(values, rule.median);

    const auto eventOf = [&](const Run& run) {
        double sum = 0.0;
        for (const float value : within(run, values)) sum += value;
        return Event{.classIndex = classIndex,
                     .onset = timeline.start(kept + run.first),
                     .offset = timeline.end(kept + run.last),
                     .peak = peakOf(run, values),
                     .mean = static_cast<float>(sum / static_cast<double>(run.last - run.first + 1))};
    };

    Runs accepted, weak, smoothed;
    for (const Run& run : runsAtOrAbove(filtered, rule.off)) {
        if (peakOf(run, filtered) < rule.on)
            weak.push_back(run);
        else if (!accepted.empty() &&
                 timeline.start(kept + run.first) - timeline.end(kept + accepted.back().last) <
                     rule.mergeGap - secondsTolerance)
            accepted.back().last = run.last;
        else
            accepted.push_back(run);
    }
    // Events without the median filter that are part of no event with it.
    if (rule.median != 1)
        for (const Run& run : runsAtOrAbove(values, rule.off))
            if (peakOf(run, values) >= rule.on && !overlapsAny(run, accepted)) smoothed.push_back(run);

    for (const Run& run : smoothed)
        list.nearMisses.push_back({eventOf(run), Rejection::filtered, peakOf(run, filtered), rule.on});
    for (const Run& run : weak)
        if (!overlapsAny(run, accepted) && !overlapsAny(run, smoothed))
            list.nearMisses.push_back(
                {eventOf(run), Rejection::belowThreshold, peakOf(run, filtered), rule.on});
    for (const Run& run : accepted) {
        const Event event = eventOf(run);
        const double duration = event.offset - event.onset;
        if (duration < rule.minDuration - secondsTolerance)
            list.nearMisses.push_back({event, Rejection::tooShort, duration, rule.minDuration});
        else
            list.events.push_back(event);
    }
}

} // namespace

std::vector<float> medianFilter(std::span<const float> values, int width) {
    std::vector<float> result;
    const std::ptrdiff_t count = std::ssize(values);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto reach = std::min<std::ptrdiff_t>({width / 2, i, count - 1 - i});
        std::vector<float> around(values.begin() + i - reach, values.begin() + i + reach + 1);
        std::ranges::sort(around);
        result.push_back(around[static_cast<std::size_t>(reach)]);
    }
    return result;
}

EventList referenceEvents(const Timeline& timeline, const EventSettings& settings) {
    EventList list;
    for (int c = 0; c < timeline.classes(); ++c) appendClass(timeline, c, settings.ruleFor(c), list);
    std::ranges::sort(list.events, earlier);
    std::ranges::sort(list.nearMisses, earlier);
    return list;
}

} // namespace earshot::test
