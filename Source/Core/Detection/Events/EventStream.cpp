#include "Core/Detection/Events/EventStream.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace earshot::detection {

EventStream::EventStream(int classes, double secondsPerColumn, const EventSettings& settings,
                         const std::vector<bool>& reported, bool nearMisses)
    : classCount_(static_cast<std::size_t>(classes))
    , secondsPerColumn_(secondsPerColumn)
    , keptColumns_(1) {
    assert(classes >= 1 && secondsPerColumn > 0.0);
    assert(reported.empty() || reported.size() == classCount_);
    validate(settings);
    for (std::size_t c = 0; c < classCount_; ++c) {
        if (!reported.empty() && !reported[c]) continue;
        const EventRule& rule = settings.ruleFor(static_cast<int>(c));
        if (settings.boxes) {
            boxes_.emplace_back(static_cast<int>(c), secondsPerColumn, rule, settings.boxes, nearMisses);
            continue;
        }
        const std::int64_t reach = rule.median / 2;
        classes_.push_back({.index = c,
                            .off = rule.off,
                            .reach = reach,
                            .events = {static_cast<int>(c), secondsPerColumn, rule, nearMisses}});
        keptColumns_ = std::max(keptColumns_, 2 * reach + 1);
    }
    recent_.resize(static_cast<std::size_t>(keptColumns_) * classCount_);
}

float& EventStream::kept(std::int64_t column, std::size_t classIndex) {
    return recent_[static_cast<std::size_t>(column % keptColumns_) * classCount_ + classIndex];
}

void EventStream::add(std::span<const float> probabilities) {
    assert(probabilities.size() == classCount_);
    const std::int64_t newest = columns_++;
    for (ClassBoxStream& boxes : boxes_)
        boxes.add(probabilities[static_cast<std::size_t>(boxes.classIndex())], found_);
    std::ranges::copy(probabilities, &kept(newest, 0));
    for (Class& judged : classes_) {
        if (probabilities[judged.index] >= judged.off) judged.loud = newest;
        // The filter's window is centred: it grows from the first column on, and then moves along.
        if (newest >= 2 * judged.reach)
            judge(judged, newest - judged.reach, judged.reach);
        else if (newest % 2 == 0)
            judge(judged, newest / 2, newest / 2);
    }
}

void EventStream::judge(Class& judged, std::int64_t column, std::int64_t reach) {
    // Where no column that the filter reads is loud, neither is what it gives.
    const bool loud = judged.loud >= column - reach;
    if (!loud && judged.events.idle()) return;
    const float value = kept(column, judged.index);
    judged.events.add(column, value, loud && reach > 0 ? median(judged, column, reach) : value, found_);
}

float EventStream::median(const Class& judged, std::int64_t column, std::int64_t reach) {
    window_.clear();
    for (std::int64_t i = column - reach; i <= column + reach; ++i) window_.push_back(kept(i, judged.index));
    const auto middle = window_.begin() + reach;
    std::ranges::nth_element(window_, middle);
    return *middle;
}

EventList EventStream::finish(double duration) {
    assert(columns_ == 0 || duration > static_cast<double>(columns_ - 1) * secondsPerColumn_);
    for (Class& judged : classes_) {
        // It shrinks towards the last column.
        const std::int64_t first = columns_ > 2 * judged.reach ? columns_ - judged.reach : (columns_ + 1) / 2;
        for (std::int64_t i = first; i < columns_; ++i) judge(judged, i, columns_ - 1 - i);
        judged.events.finish(duration, found_);
    }
    for (ClassBoxStream& boxes : boxes_) boxes.finish(duration, found_);
    std::ranges::stable_sort(found_.events, earlier);
    std::ranges::stable_sort(found_.nearMisses, earlier, &NearMiss::event);
    return std::exchange(found_, {});
}

} // namespace earshot::detection
