#include "Core/Detection/Events/ClassEvents.h"

#include "Core/Detection/Events/MedianFilter.h"
#include "Core/Detection/Windows/Timeline.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <tuple>

namespace earshot::detection {

namespace {

// The run that holds `column` or is the last before it; null when there is none.
const Run* lastBeginning(const std::vector<Run>& runs, std::int64_t column) {
    const auto next = std::ranges::upper_bound(runs, column, {}, &Run::first);
    return next == runs.begin() ? nullptr : &*std::prev(next);
}

bool overlapsAny(const Run& run, const std::vector<Run>& runs) {
    const Run* candidate = lastBeginning(runs, run.last);
    return candidate != nullptr && candidate->last >= run.first;
}

} // namespace

ClassEvents::ClassEvents(const Timeline& timeline, int classIndex, const EventRule& rule,
                         std::span<const float> values, std::int64_t context, std::int64_t begin)
    : timeline_(timeline)
    , classIndex_(classIndex)
    , rule_(rule)
    , begin_(begin)
    , smooth_(rule.median == 1 ? std::vector<float>() : medianFilter(values, rule.median))
    , values_(values.subspan(static_cast<std::size_t>(begin - context)))
    , filtered_(rule.median == 1
                    ? values_
                    : std::span<const float>(smooth_).subspan(static_cast<std::size_t>(begin - context))) {
    assert(context == 0 || begin - context >= rule.median / 2);
    findRuns();
}

std::span<const float> ClassEvents::within(const Run& run, std::span<const float> values) const {
    return values.subspan(static_cast<std::size_t>(run.first - begin_),
                          static_cast<std::size_t>(run.last - run.first + 1));
}

float ClassEvents::peak(const Run& run, std::span<const float> values) const {
    return std::ranges::max(within(run, values));
}

// Maximal runs of columns at or above `threshold`.
ClassEvents::Runs ClassEvents::runsAtOrAbove(std::span<const float> values, float threshold) const {
    Runs runs;
    bool inside = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto column = begin_ + static_cast<std::int64_t>(i);
        const bool above = values[i] >= threshold;
        if (above && !inside) runs.push_back({column, column});
        if (above) runs.back().last = column;
        inside = above;
    }
    return runs;
}

void ClassEvents::findRuns() {
    for (const Run& run : runsAtOrAbove(filtered_, rule_.off))
        (peak(run, filtered_) >= rule_.on ? accepted_ : weak_).push_back(run);
    accepted_ = merged(accepted_);
    smoothed_ = smoothedAway();
}

bool ClassEvents::joins(const Run& run, std::int64_t next) const {
    return timeline_.start(next) - timeline_.end(run.last) < rule_.mergeGap - secondsTolerance;
}

ClassEvents::Runs ClassEvents::merged(const Runs& runs) const {
    Runs result;
    for (const Run& run : runs)
        if (!result.empty() && joins(result.back(), run.first))
            result.back().last = run.last;
        else
            result.push_back(run);
    return result;
}

// What would have been events without the median filter and are part of none with it.
ClassEvents::Runs ClassEvents::smoothedAway() const {
    Runs result;
    if (rule_.median == 1) return result;
    for (const Run& run : runsAtOrAbove(values_, rule_.off))
        if (peak(run, values_) >= rule_.on && !overlapsAny(run, accepted_)) result.push_back(run);
    return result;
}

Event ClassEvents::makeEvent(const Run& run) const {
    double sum = 0.0;
    for (const float value : within(run, values_)) sum += value;
    return {.classIndex = classIndex_,
            .onset = timeline_.start(run.first),
            .offset = timeline_.end(run.last),
            .peak = peak(run, values_),
            .mean = static_cast<float>(sum / static_cast<double>(run.last - run.first + 1))};
}

void ClassEvents::appendTo(std::vector<Event>& events, std::vector<NearMiss>& misses) const {
    const auto known = static_cast<std::ptrdiff_t>(misses.size());
    const auto appendMiss = [&](const Run& run, Rejection reason, double found, double required) {
        misses.push_back({makeEvent(run), reason, found, required});
    };
    for (const Run& run : smoothed_) appendMiss(run, Rejection::filtered, peak(run, filtered_), rule_.on);
    for (const Run& run : weak_)
        if (!overlapsAny(run, accepted_) && !overlapsAny(run, smoothed_))
            appendMiss(run, Rejection::belowThreshold, peak(run, filtered_), rule_.on);
    for (const Run& run : accepted_) {
        const Event event = makeEvent(run);
        const double duration = event.offset - event.onset;
        if (duration < rule_.minDuration - secondsTolerance)
            appendMiss(run, Rejection::tooShort, duration, rule_.minDuration);
        else
            events.push_back(event);
    }
    std::stable_sort(misses.begin() + known, misses.end(),
                     [](const NearMiss& a, const NearMiss& b) { return earlier(a.event, b.event); });
}

std::int64_t ClassEvents::cut(std::int64_t limit) const {
    const auto reaches = [&](std::span<const float> values, std::int64_t column) {
        return values[static_cast<std::size_t>(column - begin_)] >= rule_.off;
    };
    while (limit > begin_) {
        // A merged event counts whole, with its gaps.
        const Run* event = lastBeginning(accepted_, limit - 1);
        if (event != nullptr && joins(*event, limit))
            limit = event->first;
        else if (reaches(filtered_, limit - 1) || reaches(values_, limit - 1))
            --limit;
        else
            break;
    }
    return std::max(limit, begin_);
}

bool earlier(const Event& a, const Event& b) {
    return std::tie(a.onset, a.classIndex, a.offset) < std::tie(b.onset, b.classIndex, b.offset);
}

} // namespace earshot::detection
