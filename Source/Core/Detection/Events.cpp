#include "Core/Detection/Events.h"

#include "Core/Base/Error.h"
#include "Core/Detection/MedianFilter.h"
#include "Core/Detection/Timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace earshot::detection {

namespace {

// Columns are compared with durations given in decimal seconds: 3 columns of 0.32 s are 0.96 s.
constexpr double secondsTolerance = 1e-9;

struct Run {
    std::int64_t first = 0; // column
    std::int64_t last = 0;  // column, included
};

using Runs = std::vector<Run>; // ascending, apart

std::span<const float> within(const Run& run, std::span<const float> values) {
    return values.subspan(static_cast<std::size_t>(run.first),
                          static_cast<std::size_t>(run.last - run.first + 1));
}

float peak(const Run& run, std::span<const float> values) { return std::ranges::max(within(run, values)); }

// Maximal runs of columns at or above `threshold`.
Runs runsAtOrAbove(std::span<const float> values, float threshold) {
    Runs runs;
    bool inside = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto column = static_cast<std::int64_t>(i);
        const bool above = values[i] >= threshold;
        if (above && !inside) runs.push_back({column, column});
        if (above) runs.back().last = column;
        inside = above;
    }
    return runs;
}

bool overlapsAny(const Run& run, const Runs& runs) {
    const auto candidate = std::partition_point(runs.begin(), runs.end(),
                                                [&](const Run& other) { return other.last < run.first; });
    return candidate != runs.end() && candidate->first <= run.last;
}

// Events of one class over its row of probabilities.
class ClassEvents {
  public:
    ClassEvents(const Timeline& timeline, int classIndex, const EventRule& rule,
                std::span<const float> values)
        : timeline_(timeline)
        , classIndex_(classIndex)
        , rule_(rule)
        , values_(values)
        , filtered_(medianFilter(values, rule.median)) {}

    void appendTo(EventList& list) const {
        Runs accepted;
        Runs weak; // reached `off` only
        for (const Run& run : runsAtOrAbove(filtered_, rule_.off))
            (peak(run, filtered_) >= rule_.on ? accepted : weak).push_back(run);
        accepted = merged(accepted);

        const Runs smoothed = smoothedAway(accepted);
        for (const Run& run : smoothed)
            appendMiss(list, run, Rejection::filtered, peak(run, filtered_), rule_.on);
        for (const Run& run : weak)
            if (!overlapsAny(run, accepted) && !overlapsAny(run, smoothed))
                appendMiss(list, run, Rejection::belowThreshold, peak(run, filtered_), rule_.on);

        for (const Run& run : accepted) {
            const Event event = makeEvent(run);
            const double duration = event.offset - event.onset;
            if (duration < rule_.minDuration - secondsTolerance)
                appendMiss(list, run, Rejection::tooShort, duration, rule_.minDuration);
            else
                list.events.push_back(event);
        }
    }

  private:
    Runs merged(const Runs& runs) const {
        Runs result;
        for (const Run& run : runs) {
            const bool joins =
                !result.empty() && timeline_.start(run.first) - timeline_.end(result.back().last) <
                                       rule_.mergeGap - secondsTolerance;
            if (joins)
                result.back().last = run.last;
            else
                result.push_back(run);
        }
        return result;
    }

    // What would have been events without the median filter and are part of none with it.
    Runs smoothedAway(const Runs& accepted) const {
        Runs result;
        if (rule_.median == 1) return result;
        for (const Run& run : runsAtOrAbove(values_, rule_.off))
            if (peak(run, values_) >= rule_.on && !overlapsAny(run, accepted)) result.push_back(run);
        return result;
    }

    Event makeEvent(const Run& run) const {
        double sum = 0.0;
        for (const float value : within(run, values_)) sum += value;
        return {.classIndex = classIndex_,
                .onset = timeline_.start(run.first),
                .offset = timeline_.end(run.last),
                .peak = peak(run, values_),
                .mean = static_cast<float>(sum / static_cast<double>(run.last - run.first + 1))};
    }

    void appendMiss(EventList& list, const Run& run, Rejection reason, double found, double required) const {
        list.nearMisses.push_back({makeEvent(run), reason, found, required});
    }

    const Timeline& timeline_;
    int classIndex_;
    const EventRule& rule_;
    std::span<const float> values_;
    std::vector<float> filtered_;
};

// Classes that reach their `off` anywhere; all others can neither be an event nor nearly one.
std::vector<int> candidateClasses(const Timeline& timeline, const EventSettings& settings) {
    std::vector<float> peaks(static_cast<std::size_t>(timeline.classes()));
    for (std::int64_t i = 0; i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        for (std::size_t c = 0; c < peaks.size(); ++c) peaks[c] = std::max(peaks[c], column[c]);
    }
    std::vector<int> candidates;
    for (int c = 0; c < timeline.classes(); ++c)
        if (peaks[static_cast<std::size_t>(c)] >= settings.ruleFor(c).off) candidates.push_back(c);
    return candidates;
}

// rows: (classes, columns). Columns lie one after another in memory, so several rows are read in one sweep.
void readRows(const Timeline& timeline, std::span<const int> classes, std::vector<float>& rows) {
    const auto columns = static_cast<std::size_t>(timeline.columns());
    rows.resize(classes.size() * columns);
    for (std::size_t i = 0; i < columns; ++i) {
        const auto column = timeline.column(static_cast<std::int64_t>(i));
        for (std::size_t c = 0; c < classes.size(); ++c)
            rows[c * columns + i] = column[static_cast<std::size_t>(classes[c])];
    }
}

bool earlier(const Event& a, const Event& b) {
    return std::tie(a.onset, a.classIndex, a.offset) < std::tie(b.onset, b.classIndex, b.offset);
}

// With as many digits as it takes to tell them apart, at least two: "0.496" and "0.500".
std::pair<std::string, std::string> distinguishable(double a, double b) {
    constexpr int mostDigits = 9;
    std::pair<std::string, std::string> texts;
    for (int digits = 2; digits <= mostDigits; ++digits) {
        texts = {fmt::format("{:.{}f}", a, digits), fmt::format("{:.{}f}", b, digits)};
        if (texts.first != texts.second) break;
    }
    return texts;
}

} // namespace

const EventRule& EventSettings::ruleFor(int classIndex) const {
    const auto found = overrides.find(classIndex);
    return found == overrides.end() ? rule : found->second;
}

void validate(const EventRule& rule) {
    // Written so that NaN fails.
    if (!(rule.on >= 0.0f && rule.on <= 1.0f))
        throw Error(fmt::format("event threshold: expected 0 to 1, found {}", rule.on));
    if (!(rule.off >= 0.0f && rule.off <= rule.on))
        throw Error(fmt::format("event off threshold: expected 0 to the on threshold {}, found {}", rule.on,
                                rule.off));
    if (rule.median < 1 || rule.median % 2 == 0)
        throw Error(
            fmt::format("event median filter: expected an odd number of columns, found {}", rule.median));
    if (!(std::isfinite(rule.minDuration) && rule.minDuration >= 0.0))
        throw Error(fmt::format("event minimum duration: expected 0 s or more, found {}", rule.minDuration));
    if (!(std::isfinite(rule.mergeGap) && rule.mergeGap >= 0.0))
        throw Error(fmt::format("event merge gap: expected 0 s or more, found {}", rule.mergeGap));
}

EventList deriveEvents(const Timeline& timeline, const EventSettings& settings) {
    validate(settings.rule);
    for (const auto& [classIndex, rule] : settings.overrides) validate(rule);

    EventList list;
    if (timeline.columns() == 0) return list;
    constexpr std::size_t classesPerSweep = 16; // rows held at a time
    const auto candidates = candidateClasses(timeline, settings);
    const auto columns = static_cast<std::size_t>(timeline.columns());
    std::vector<float> rows;
    for (std::size_t first = 0; first < candidates.size(); first += classesPerSweep) {
        const auto group =
            std::span(candidates).subspan(first, std::min(classesPerSweep, candidates.size() - first));
        readRows(timeline, group, rows);
        for (std::size_t c = 0; c < group.size(); ++c)
            ClassEvents(timeline, group[c], settings.ruleFor(group[c]),
                        std::span(rows).subspan(c * columns, columns))
                .appendTo(list);
    }
    std::ranges::sort(list.events, earlier);
    std::ranges::sort(list.nearMisses, earlier, &NearMiss::event);
    return list;
}

std::string explain(const NearMiss& miss) {
    const auto [found, required] = distinguishable(miss.found, miss.required);
    switch (miss.reason) {
    case Rejection::belowThreshold:
        return fmt::format("Not an event: {} is below the threshold {}", found, required);
    case Rejection::filtered:
        return fmt::format(
            "Not an event: the median filter leaves {} of the peak {:.2f}, below the threshold {}", found,
            miss.event.peak, required);
    case Rejection::tooShort:
        return fmt::format("Not an event: {} s is shorter than the minimum duration {} s", found, required);
    }
    return {};
}

} // namespace earshot::detection
