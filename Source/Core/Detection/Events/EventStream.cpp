#include "Core/Detection/Events/EventStream.h"

#include <algorithm>
#include <cassert>

namespace earshot::detection {

EventStream::EventStream(int classes, double secondsPerColumn, const EventSettings& settings,
                         const std::vector<bool>& reported, bool nearMisses)
    : secondsPerColumn_(secondsPerColumn) {
    assert(classes >= 1 && secondsPerColumn > 0.0);
    assert(reported.empty() || reported.size() == static_cast<std::size_t>(classes));
    validate(settings);
    for (int c = 0; c < classes; ++c) {
        const auto index = static_cast<std::size_t>(c);
        if (!reported.empty() && !reported[index]) continue;
        const EventRule& rule = settings.ruleFor(c);
        if (settings.sebbs)
            sebbs_.emplace_back(c, secondsPerColumn, rule, settings.sebbs, nearMisses);
        else
            machines_.emplace_back(index, EventMachine(c, secondsPerColumn, rule, nearMisses));
    }
}

void EventStream::add(std::span<const float> probabilities) {
    ++columns_;
    for (auto& [index, machine] : machines_) machine.step(probabilities[index], found_);
    for (ClassSebbStream& sebbs : sebbs_)
        sebbs.step(probabilities[static_cast<std::size_t>(sebbs.classIndex())], found_);
}

// The earliest onset, in seconds, of an event that later columns may still bring.
double EventStream::openSince() const {
    std::int64_t column = columns_;
    for (const auto& [index, machine] : machines_) column = std::min(column, machine.openSince());
    for (const ClassSebbStream& sebbs : sebbs_) column = std::min(column, sebbs.openSince());
    return static_cast<double>(column) * secondsPerColumn_;
}

std::vector<Event> EventStream::takeSettled() {
    auto& events = found_.events;
    if (events.empty()) return {};
    std::ranges::sort(events, earlier);
    const double open = openSince(), late = static_cast<double>(columns_) * secondsPerColumn_ - maxWait;
    const auto firstOpen =
        std::ranges::find_if(events, [&](const Event& event) { return event.onset >= open; });
    const auto lastLate = std::find_if(events.rbegin(), events.rend(),
                                       [&](const Event& event) { return event.offset <= late; });
    const auto end = std::max(firstOpen, lastLate.base());
    std::vector<Event> settled(events.begin(), end);
    events.erase(events.begin(), end);
    return settled;
}

EventList EventStream::finish(double duration) {
    assert(columns_ == 0 || duration > static_cast<double>(columns_ - 1) * secondsPerColumn_);
    for (auto& [index, machine] : machines_) {
        machine.setDuration(duration);
        machine.finish(found_);
    }
    for (ClassSebbStream& sebbs : sebbs_) sebbs.finish(duration, found_);
    std::ranges::sort(found_.events, earlier);
    std::ranges::sort(found_.nearMisses, earlier);
    return std::exchange(found_, {});
}

} // namespace earshot::detection
