#include "Core/Detection/Events/ClassEventStream.h"

#include <algorithm>
#include <limits>

namespace earshot::detection {

namespace {

bool overlap(const Run& a, const Run& b) { return a.first <= b.last && b.first <= a.last; }

} // namespace

ClassEventStream::ClassEventStream(int classIndex, double secondsPerColumn, const EventRule& rule,
                                   bool nearMisses)
    : classIndex_(classIndex)
    , secondsPerColumn_(secondsPerColumn)
    , rule_(rule)
    , nearMisses_(nearMisses) {}

void ClassEventStream::Stretch::extend(std::int64_t column, float value, float filtered) {
    columns.last = column;
    sum += value;
    peak = std::max(peak, value);
    filteredPeak = std::max(filteredPeak, filtered);
}

void ClassEventStream::extend(std::optional<Stretch>& stretch, std::int64_t column, float value,
                              float filtered) {
    if (!stretch) stretch = Stretch{.columns = {column, column}};
    stretch->extend(column, value, filtered);
}

void ClassEventStream::add(std::int64_t column, float value, float filtered, EventList& found) {
    const bool runs = filtered >= rule_.off;
    if (run_ && !runs) endRun();
    if (event_ && !run_ && !joins(column)) endEvent(found);
    if (event_) extend(onward_, column, value, filtered);
    if (runs) extend(run_, column, value, filtered);
    if (!nearMisses_) return;
    if (rule_.median != 1) {
        if (value >= rule_.off)
            extend(raw_, column, value, filtered);
        else if (raw_)
            endRaw();
    }
    if (!pending_.empty()) decide(found);
}

void ClassEventStream::finish(double duration, EventList& found) {
    duration_ = duration;
    if (run_) endRun();
    if (event_) endEvent(found);
    if (raw_) endRaw();
    if (!pending_.empty()) decide(found);
}

// Whether a run that begins at column `next` would be joined to the event.
bool ClassEventStream::joins(std::int64_t next) const {
    return static_cast<double>(next) * secondsPerColumn_ -
               static_cast<double>(event_->columns.last + 1) * secondsPerColumn_ <
           rule_.mergeGap - secondsTolerance;
}

void ClassEventStream::endRun() {
    const Stretch run = *run_;
    run_.reset();
    if (run.filteredPeak < rule_.on) {
        suspect(run, Rejection::belowThreshold);
        return;
    }
    // Had it been too late to join, the event would have ended before the run began.
    if (!event_) onward_ = run;
    event_ = onward_;
    dropCovered();
}

void ClassEventStream::endRaw() {
    const Stretch raw = *raw_;
    raw_.reset();
    if (raw.peak >= rule_.on && !rawHeard_) suspect(raw, Rejection::filtered);
    rawHeard_ = false;
}

void ClassEventStream::endEvent(EventList& found) {
    const Event event = makeEvent(*event_);
    if (raw_ && raw_->columns.first <= event_->columns.last) rawHeard_ = true;
    event_.reset();
    onward_.reset();
    const double length = event.offset - event.onset;
    if (length >= rule_.minDuration - secondsTolerance)
        found.events.push_back(event);
    else if (nearMisses_)
        found.nearMisses.push_back({event, Rejection::tooShort, length, rule_.minDuration});
}

bool ClassEventStream::covered(const Stretch& stretch) const {
    if (event_ && overlap(stretch.columns, event_->columns)) return true;
    return run_ && run_->filteredPeak >= rule_.on && overlap(stretch.columns, run_->columns);
}

void ClassEventStream::suspect(const Stretch& stretch, Rejection reason) {
    if (nearMisses_ && !covered(stretch)) pending_.push_back({stretch, reason});
}

void ClassEventStream::dropCovered() {
    std::erase_if(pending_, [&](const Candidate& candidate) { return covered(candidate.stretch); });
}

// Whether nothing that is to come can cover it; open: the first column of what is going on.
bool ClassEventStream::decided(const Candidate& candidate, std::int64_t open) const {
    const Run& columns = candidate.stretch.columns;
    if (columns.last >= open) return false;
    if (candidate.reason == Rejection::filtered) return true;
    // The median filter may be the reason.
    if (raw_ && raw_->columns.first <= columns.last) return false;
    return std::ranges::none_of(pending_, [&](const Candidate& other) {
        return other.reason == Rejection::filtered && !other.gone && overlap(other.stretch.columns, columns);
    });
}

void ClassEventStream::decide(EventList& found) {
    std::int64_t open = std::numeric_limits<std::int64_t>::max();
    if (event_) open = event_->columns.first;
    if (run_) open = std::min(open, run_->columns.first);

    if (pending_.front().stretch.columns.last >= open) return;
    const auto take = [&](Candidate& candidate) {
        const Stretch& stretch = candidate.stretch;
        found.nearMisses.push_back({makeEvent(stretch), candidate.reason, stretch.filteredPeak, rule_.on});
        candidate.gone = true;
    };
    // What the median filter left too little of is its doing, and not also a sound that was too weak.
    for (Candidate& smoothed : pending_) {
        if (smoothed.reason != Rejection::filtered || !decided(smoothed, open)) continue;
        take(smoothed);
        for (Candidate& other : pending_)
            other.gone = other.gone || overlap(other.stretch.columns, smoothed.stretch.columns);
    }
    for (Candidate& weak : pending_)
        if (weak.reason == Rejection::belowThreshold && !weak.gone && decided(weak, open)) take(weak);
    std::erase_if(pending_, [](const Candidate& candidate) { return candidate.gone; });
}

Event ClassEventStream::makeEvent(const Stretch& stretch) const {
    const auto [first, last] = stretch.columns;
    const double end = static_cast<double>(last + 1) * secondsPerColumn_;
    return {.classIndex = classIndex_,
            .onset = static_cast<double>(first) * secondsPerColumn_,
            .offset = duration_ ? std::min(end, *duration_) : end,
            .peak = stretch.peak,
            .mean = static_cast<float>(stretch.sum / static_cast<double>(last - first + 1))};
}

} // namespace earshot::detection
