#include "Core/Detection/Events/EventMachine.h"

#include <algorithm>
#include <array>
#include <limits>

namespace earshot::detection {

namespace {

bool overlap(const Run& a, const Run& b) { return a.first <= b.last && b.first <= a.last; }

} // namespace

EventMachine::EventMachine(int classIndex, double secondsPerColumn, const EventRule& rule, bool nearMisses,
                           std::int64_t first)
    : classIndex_(classIndex)
    , secondsPerColumn_(secondsPerColumn)
    , rule_(rule)
    , nearMisses_(nearMisses)
    , first_(first)
    , columns_(first)
    , judged_(first) {}

void EventMachine::setRule(const EventRule& rule) {
    if (rule.off < rule_.off) loud_ = columns_ - 1; // any earlier column may reach the new one
    rule_ = rule;
}

void EventMachine::Stretch::extend(std::int64_t column, float value, float filtered) {
    columns.last = column;
    sum += value;
    peak = std::max(peak, value);
    filteredPeak = std::max(filteredPeak, filtered);
}

void EventMachine::extend(std::optional<Stretch>& stretch, std::int64_t column, float value, float filtered) {
    if (!stretch) stretch = Stretch{.columns = {column, column}};
    stretch->extend(column, value, filtered);
}

void EventMachine::take(float value, EventList& found, std::vector<Event>* onsets) {
    recent_.push_back(value);
    if (value >= rule_.off) loud_ = columns_;
    ++columns_;
    advance(false, found, onsets);
    // A filter that is widened while it runs reads no more columns than the old one kept.
    const auto needed = static_cast<std::size_t>(columns_ - judged_ + rule_.median / 2);
    if (recent_.size() > 2 * needed + 8)
        recent_.erase(recent_.begin(), recent_.end() - static_cast<std::ptrdiff_t>(needed));
}

void EventMachine::finish(EventList& found, std::vector<Event>* onsets) {
    advance(true, found, onsets);
    if (run_) endRun();
    if (event_) endEvent(found, onsets != nullptr);
    if (raw_) endRaw();
    if (!pending_.empty()) decide(found);
}

// The filter is centred: its width grows from the first column on, then stays, and shrinks towards the last.
void EventMachine::advance(bool ends, EventList& found, std::vector<Event>* onsets) {
    const auto oldest = columns_ - static_cast<std::int64_t>(recent_.size());
    for (; judged_ < columns_; ++judged_) {
        auto reach = std::min<std::int64_t>(rule_.median / 2, judged_ - std::max(first_, oldest));
        if (ends)
            reach = std::min(reach, columns_ - 1 - judged_);
        else if (judged_ + reach >= columns_)
            break;
        // If no column that the filter reads reaches `off`, its output does not either.
        const bool loud = loud_ >= judged_ - reach;
        if (!loud && !busy_) continue;
        const float value = recent_[static_cast<std::size_t>(judged_ - oldest)];
        judge(judged_, value, loud && reach > 0 ? median(judged_ - oldest, reach) : value, found,
              onsets != nullptr);
        if (onsets != nullptr && run_) tellOnset(*onsets);
        busy_ = run_ || event_ || raw_ || !pending_.empty();
    }
}

float EventMachine::median(std::int64_t column, std::int64_t reach) const {
    constexpr std::int64_t maxReach = 64; // wider filters allocate memory
    std::array<float, 2 * maxReach + 1> few{};
    std::vector<float> many;
    const auto width = static_cast<std::size_t>(2 * reach + 1);
    if (reach > maxReach) many.resize(width);
    float* window = many.empty() ? few.data() : many.data();
    std::copy_n(recent_.begin() + (column - reach), width, window);
    std::nth_element(window, window + reach, window + width);
    return window[reach];
}

void EventMachine::judge(std::int64_t column, float value, float filtered, EventList& found, bool tells) {
    if (filtered >= rule_.off) {
        if (event_) extend(onward_, column, value, filtered);
        extend(run_, column, value, filtered);
        run_->reachedOn = run_->reachedOn || filtered >= rule_.on;
    } else {
        if (run_) endRun();
        if (event_) extend(onward_, column, value, filtered);
        // A run that could be joined to the event begins with the next column at the earliest.
        if (event_ && !joins(column + 1)) endEvent(found, tells);
    }
    if (!nearMisses_) return;
    if (rule_.median != 1) {
        if (value >= rule_.off)
            extend(raw_, column, value, filtered);
        else if (raw_)
            endRaw();
    }
    if (!pending_.empty()) decide(found);
}

// Reports the onset of the current run. The run is, or is joined to, an event as soon as it has reached `on`.
void EventMachine::tellOnset(std::vector<Event>& onsets) {
    if (told_ || !run_->reachedOn) return;
    const Event event = makeEvent(event_ ? *onward_ : *run_);
    if (event.offset - event.onset < rule_.minDuration - secondsTolerance) return;
    told_ = true;
    onsets.push_back(event);
}

void EventMachine::endRun() {
    const Stretch run = *run_;
    run_.reset();
    if (!run.reachedOn) {
        suspect(run, Rejection::belowThreshold);
        return;
    }
    // If the run were too late to be joined, the event would have ended before the run began.
    if (!event_) onward_ = run;
    event_ = onward_;
    std::erase_if(pending_, [&](const Candidate& candidate) { return covered(candidate.stretch); });
}

void EventMachine::endRaw() {
    const Stretch raw = *raw_;
    raw_.reset();
    if (raw.peak >= rule_.on && !rawHeard_) suspect(raw, Rejection::filtered);
    rawHeard_ = false;
}

void EventMachine::endEvent(EventList& found, bool tells) {
    const Event event = makeEvent(*event_);
    if (raw_ && raw_->columns.first <= event_->columns.last) rawHeard_ = true;
    event_.reset();
    onward_.reset();
    const double length = event.offset - event.onset;
    const bool longEnough = length >= rule_.minDuration - secondsTolerance;
    if (tells ? told_ : longEnough)
        found.events.push_back(event);
    else if (nearMisses_)
        found.nearMisses.push_back({event, Rejection::tooShort, length, rule_.minDuration});
    told_ = false;
}

bool EventMachine::covered(const Stretch& stretch) const {
    if (event_ && overlap(stretch.columns, event_->columns)) return true;
    return run_ && run_->reachedOn && overlap(stretch.columns, run_->columns);
}

void EventMachine::suspect(const Stretch& stretch, Rejection reason) {
    if (nearMisses_ && !covered(stretch)) pending_.push_back({stretch, reason});
}

// Returns whether no later event can cover it; open: the first column still in progress.
bool EventMachine::decided(const Candidate& candidate, std::int64_t open) const {
    const Run& columns = candidate.stretch.columns;
    if (columns.last >= open) return false;
    if (candidate.reason == Rejection::filtered) return true;
    // The median filter may turn out to be the reason.
    if (raw_ && raw_->columns.first <= columns.last) return false;
    return std::ranges::none_of(pending_, [&](const Candidate& other) {
        return other.reason == Rejection::filtered && !other.gone && overlap(other.stretch.columns, columns);
    });
}

void EventMachine::decide(EventList& found) {
    std::int64_t open = std::numeric_limits<std::int64_t>::max();
    if (event_) open = event_->columns.first;
    if (run_) open = std::min(open, run_->columns.first);

    if (pending_.front().stretch.columns.last >= open) return;
    const auto list = [&](Candidate& candidate) {
        const Stretch& stretch = candidate.stretch;
        found.nearMisses.push_back({makeEvent(stretch), candidate.reason, stretch.filteredPeak, rule_.on});
        candidate.gone = true;
    };
    // A run that the median filter removed is listed once, as `filtered`, and not again as `belowThreshold`.
    for (Candidate& smoothed : pending_) {
        if (smoothed.reason != Rejection::filtered || !decided(smoothed, open)) continue;
        list(smoothed);
        for (Candidate& other : pending_)
            other.gone = other.gone || overlap(other.stretch.columns, smoothed.stretch.columns);
    }
    for (Candidate& weak : pending_)
        if (weak.reason == Rejection::belowThreshold && !weak.gone && decided(weak, open)) list(weak);
    std::erase_if(pending_, [](const Candidate& candidate) { return candidate.gone; });
}

double EventMachine::start(std::int64_t column) const {
    const double seconds = static_cast<double>(column) * secondsPerColumn_;
    return duration_ ? std::min(seconds, *duration_) : seconds;
}

// Returns whether a run that begins at column `next` would be joined to the event.
bool EventMachine::joins(std::int64_t next) const {
    return start(next) - start(event_->columns.last + 1) < rule_.mergeGap - secondsTolerance;
}

Event EventMachine::makeEvent(const Stretch& stretch) const {
    const auto [first, last] = stretch.columns;
    return {.classIndex = classIndex_,
            .onset = start(first),
            .offset = start(last + 1),
            .peak = stretch.peak,
            .mean = static_cast<float>(stretch.sum / static_cast<double>(last - first + 1))};
}

} // namespace earshot::detection
