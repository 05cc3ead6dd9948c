#include "Core/Detection/Events/Events.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

namespace earshot::detection {

namespace {

// Returns the classes that reach their floor anywhere; the others have neither events nor near misses.
std::vector<int> candidateClasses(const Timeline& timeline, const EventSettings& settings) {
    std::vector<float> peaks(static_cast<std::size_t>(timeline.classes()));
    for (std::int64_t i = timeline.firstKept(); i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        for (std::size_t c = 0; c < peaks.size(); ++c) peaks[c] = std::max(peaks[c], column[c]);
    }
    std::vector<int> candidates;
    for (int c = 0; c < timeline.classes(); ++c)
        if (peaks[static_cast<std::size_t>(c)] >= settings.floorFor(c)) candidates.push_back(c);
    return candidates;
}

// rows: (classes, columns). A column's classes are adjacent in memory, so one sweep reads several rows.
void readRows(const Timeline& timeline, std::span<const int> classes, std::vector<float>& rows) {
    const auto columns = static_cast<std::size_t>(timeline.columns() - timeline.firstKept());
    rows.resize(classes.size() * columns);
    for (std::size_t i = 0; i < columns; ++i) {
        const auto column = timeline.column(timeline.firstKept() + static_cast<std::int64_t>(i));
        for (std::size_t c = 0; c < classes.size(); ++c)
            rows[c * columns + i] = column[static_cast<std::size_t>(classes[c])];
    }
}

void appendSebbs(const Timeline& timeline, int classIndex, const EventSettings& settings,
                 std::span<const float> values, EventList& list) {
    ClassSebbStream sebbs(classIndex, timeline.secondsPerColumn(), settings.ruleFor(classIndex),
                          settings.sebbs, true);
    for (const float value : values) sebbs.step(value, list);
    sebbs.finish(timeline.end(timeline.columns() - 1), list);
}

void appendEvents(const Timeline& timeline, int classIndex, const EventRule& rule,
                  std::span<const float> values, EventList& list) {
    EventMachine machine(classIndex, timeline.secondsPerColumn(), rule, true, timeline.firstKept());
    machine.setDuration(timeline.duration());
    for (const float value : values) machine.step(value, list);
    machine.finish(list);
}

// Prints both with as many digits as tell them apart, at least two: "0.496" and "0.500".
std::pair<std::string, std::string> distinguishable(double a, double b) {
    constexpr int maxDigits = 9;
    std::pair<std::string, std::string> texts;
    for (int digits = 2; digits <= maxDigits; ++digits) {
        texts = {fmt::format("{:.{}f}", a, digits), fmt::format("{:.{}f}", b, digits)};
        if (texts.first != texts.second) break;
    }
    return texts;
}

} // namespace

bool Earlier::operator()(const Event& a, const Event& b) const {
    return std::tie(a.onset, a.classIndex, a.offset, a.peak, a.mean, a.confidence) <
           std::tie(b.onset, b.classIndex, b.offset, b.peak, b.mean, b.confidence);
}

bool Earlier::operator()(const NearMiss& a, const NearMiss& b) const {
    if (a.event != b.event) return (*this)(a.event, b.event);
    return std::tie(a.reason, a.found, a.required) < std::tie(b.reason, b.found, b.required);
}

const EventRule& EventSettings::ruleFor(int classIndex) const {
    const auto found = overrides.find(classIndex);
    return found == overrides.end() ? rule : found->second;
}

float EventSettings::floorFor(int classIndex) const {
    return sebbs ? sebbLevels.front() : ruleFor(classIndex).off;
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

void validate(const EventSettings& settings) {
    validate(settings.rule);
    for (const auto& [classIndex, rule] : settings.overrides) validate(rule);
}

EventList deriveEvents(const Timeline& timeline, const EventSettings& settings) {
    validate(settings);
    EventList list;
    if (timeline.columns() == timeline.firstKept()) return list;
    constexpr std::size_t classesPerSweep = 16; // rows held at a time
    const auto candidates = candidateClasses(timeline, settings);
    const auto columns = static_cast<std::size_t>(timeline.columns() - timeline.firstKept());
    std::vector<float> rows;
    for (std::size_t first = 0; first < candidates.size(); first += classesPerSweep) {
        const auto group =
            std::span(candidates).subspan(first, std::min(classesPerSweep, candidates.size() - first));
        readRows(timeline, group, rows);
        for (std::size_t c = 0; c < group.size(); ++c) {
            const auto values = std::span(rows).subspan(c * columns, columns);
            if (settings.sebbs)
                appendSebbs(timeline, group[c], settings, values, list);
            else
                appendEvents(timeline, group[c], settings.ruleFor(group[c]), values, list);
        }
    }
    std::ranges::sort(list.events, earlier);
    std::ranges::sort(list.nearMisses, earlier);
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
    case Rejection::unsure:
        return fmt::format("Not an event: its confidence {} is below the least, {}", found, required);
    }
    return {};
}

} // namespace earshot::detection
