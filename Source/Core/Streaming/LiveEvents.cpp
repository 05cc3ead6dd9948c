#include "Core/Streaming/LiveEvents.h"

#include "Core/Detection/Windows/Timeline.h"

#include <algorithm>

namespace earshot::streaming {

void LiveEvents::follow(const detection::Timeline& timeline, const detection::EventSettings& settings,
                        std::vector<LiveChange>& changes) {
    if (generation_ != timeline.generation()) {
        end(changes);
        generation_ = timeline.generation();
        for (int c = 0; c < timeline.classes(); ++c)
            machines_.emplace_back(c, timeline.secondsPerColumn(), settings.ruleFor(c), false);
    }
    const auto before = changes.size();
    for (std::size_t c = 0; c < machines_.size(); ++c) {
        machines_[c].setDuration(timeline.duration());
        machines_[c].setRule(settings.ruleFor(static_cast<int>(c)));
    }
    while (!machines_.empty() && machines_.front().columns() < timeline.columns()) {
        const auto column = timeline.column(machines_.front().columns());
        for (std::size_t c = 0; c < machines_.size(); ++c) machines_[c].step(column[c], ended_, &onsets_);
        take(before, changes);
    }
}

void LiveEvents::end(std::vector<LiveChange>& changes) {
    const auto before = changes.size();
    for (auto& machine : machines_) machine.finish(ended_, &onsets_);
    take(before, changes);
    machines_.clear();
    generation_ = 0;
}

// Moves onsets_ and ended_ to `changes`, sorted by time from `firstChange`. An onset comes before an offset
// at the same time, so that an event never ends before it begins.
void LiveEvents::take(std::size_t firstChange, std::vector<LiveChange>& changes) {
    for (const auto& event : onsets_) changes.push_back({LiveChange::Kind::onset, event});
    for (const auto& event : ended_.events) changes.push_back({LiveChange::Kind::offset, event});
    onsets_.clear();
    ended_.events.clear();
    const auto when = [](const LiveChange& change) {
        return change.kind == LiveChange::Kind::onset ? change.event.onset : change.event.offset;
    };
    std::stable_sort(changes.begin() + static_cast<std::ptrdiff_t>(firstChange), changes.end(),
                     [&](const LiveChange& a, const LiveChange& b) { return when(a) < when(b); });
}

} // namespace earshot::streaming
