#include "Core/Streaming/LiveEvents.h"

#include "Core/Detection/Timeline.h"

#include <algorithm>

namespace earshot::streaming {

namespace {

constexpr double tolerance = 1e-6; // seconds

} // namespace

void LiveEvents::follow(const detection::Timeline& timeline, const detection::EventSettings& settings,
                        std::vector<LiveChange>& changes) {
    if (generation_ != timeline.generation()) {
        if (generation_ != 0) end(changes);
        generation_ = timeline.generation();
        for (int c = 0; c < timeline.classes(); ++c) {
            const detection::EventMachine machine(c, timeline.secondsPerColumn(), settings.ruleFor(c), false,
                                                  timeline.firstKept());
            classes_.push_back({machine, machine, {}, {}, {}, toldUntil_});
        }
    }
    if (timeline.columns() == 0) return;
    before_ = now_;
    now_ = timeline.end(timeline.columns() - 1);
    settledUntil_ = timeline.settled() > 0 ? timeline.end(timeline.settled() - 1) : 0.0;
    columns_.clear();
    for (auto i = timeline.settled(); i < timeline.columns(); ++i)
        columns_.push_back(timeline.column(i).data());
    for (std::size_t c = 0; c < classes_.size(); ++c)
        judge(c, timeline, settings.ruleFor(static_cast<int>(c)));
    moveTo(changes);
}

void LiveEvents::end(std::vector<LiveChange>& changes, bool goesOn) {
    for (OneClass& one : classes_) {
        accepted_.clear();
        ended_.events.clear();
        if (one.viewOpen) accepted_.push_back(*one.viewOpen);
        one.view.finish(ended_, &accepted_);
        report(one, true);
        if (one.sounding) tellOffset(one);
    }
    moveTo(changes);
    classes_.clear();
    generation_ = 0;
    if (!goesOn) now_ = before_ = 0.0;
    toldBefore_ = now_;
    toldUntil_ = 0.0;
}

void LiveEvents::judge(std::size_t classIndex, const detection::Timeline& timeline,
                       const detection::EventRule& rule) {
    OneClass& one = classes_[classIndex];
    accepted_.clear();
    ended_.events.clear();
    if (one.settledOpen) accepted_.push_back(*one.settledOpen);
    one.settled.setDuration(timeline.duration());
    one.settled.setRule(rule);
    const int ahead = rule.median / 2; // columns that the median filter hears ahead
    one.lateBefore =
        std::max(toldBefore_ - tolerance, before_ - latest - ahead * timeline.secondsPerColumn());
    while (one.settled.columns() < timeline.settled())
        one.settled.step(timeline.column(one.settled.columns())[classIndex], ended_, &accepted_);
    one.settledOpen = open();
    one.view = one.settled;
    const auto isLoud = [&](const float* column) { return column[classIndex] >= rule.off; };
    if (!one.settled.idle() || std::ranges::any_of(columns_, isLoud))
        for (const float* column : columns_) one.view.step(column[classIndex], ended_, &accepted_);
    one.viewOpen = open();
    report(one, false);
}

std::optional<detection::Event> LiveEvents::open() const {
    if (accepted_.size() == ended_.events.size()) return std::nullopt;
    return accepted_.back();
}

void LiveEvents::report(OneClass& one, bool ends) {
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
        const bool ended = i < ended_.events.size();
        detection::Event event = ended ? ended_.events[i] : accepted_[i];
        if (!ended) event.offset = std::max(event.offset, now_);
        const double sure = std::max(settledUntil_, now_ - sureAfter) + tolerance;
        const bool late = ended && event.offset < one.lateBefore;
        if (!late || one.sounding) take(one, event, ended && (ends || event.offset <= sure));
    }
    // The reported event is in no view any more.
    if (one.sounding && one.sounding->seen <= now_ - sureAfter + tolerance) tellOffset(one);
}

// An event of the present view. over: nothing extends it any more.
void LiveEvents::take(OneClass& one, detection::Event event, bool over) {
    if (one.sounding) {
        const double onset = one.sounding->event.onset;
        if (event.offset <= onset) return; // an earlier one
        if (event.onset <= one.sounding->event.offset) {
            event.onset = onset; // as reported
            one.sounding = {event, now_};
            if (over) tellOffset(one);
            return;
        }
        tellOffset(one); // this is another one
    }
    if (event.onset < one.toldUntil - tolerance) {
        // It joins what is already reported, so that only what goes on since is new.
        if (event.offset <= one.toldUntil + sureAfter) return;
        event.onset = one.toldUntil;
    }
    one.sounding = {event, now_};
    found_.push_back({LiveChange::Kind::onset, event});
    if (over) tellOffset(one);
}

void LiveEvents::tellOffset(OneClass& one) {
    found_.push_back({LiveChange::Kind::offset, one.sounding->event});
    one.toldUntil = one.sounding->event.offset;
    one.sounding.reset();
}

// Moves found_ to `changes` by time. An onset comes before an offset at the same time, so that an event never
// ends before it begins.
void LiveEvents::moveTo(std::vector<LiveChange>& changes) {
    const auto when = [](const LiveChange& change) {
        return change.kind == LiveChange::Kind::onset ? change.event.onset : change.event.offset;
    };
    std::ranges::stable_sort(found_, {}, when);
    changes.insert(changes.end(), found_.begin(), found_.end());
    found_.clear();
}

} // namespace earshot::streaming
