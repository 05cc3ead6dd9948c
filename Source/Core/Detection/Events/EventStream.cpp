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
        if (settings.boxes)
            boxes_.emplace_back(c, secondsPerColumn, rule, settings.boxes, nearMisses);
        else
            machines_.emplace_back(index, EventMachine(c, secondsPerColumn, rule, nearMisses));
    }
}

void EventStream::add(std::span<const float> probabilities) {
    ++columns_;
    for (auto& [index, machine] : machines_) machine.step(probabilities[index], found_);
    for (ClassBoxStream& boxes : boxes_)
        boxes.step(probabilities[static_cast<std::size_t>(boxes.classIndex())], found_);
}

EventList EventStream::finish(double duration) {
    assert(columns_ == 0 || duration > static_cast<double>(columns_ - 1) * secondsPerColumn_);
    for (auto& [index, machine] : machines_) {
        machine.setDuration(duration);
        machine.finish(found_);
    }
    for (ClassBoxStream& boxes : boxes_) boxes.finish(duration, found_);
    std::ranges::sort(found_.events, earlier);
    std::ranges::sort(found_.nearMisses, earlier);
    return std::exchange(found_, {});
}

} // namespace earshot::detection
