#include "Core/Streaming/TimeMap.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::streaming {

namespace {

constexpr double sameSeconds = 1e-3;
constexpr std::size_t forgottenAtOnce = TimeMap::maxSegments / 50;

} // namespace

bool TimeSegment::jumpsFrom(const TimeSegment& before) const {
    if (host && before.host && rate != before.rate) return false;
    return std::abs(before.shownAt(stream) - shown) >= sameSeconds;
}

std::size_t TimeMap::segmentAt(double stream) const {
    const auto later = std::ranges::upper_bound(segments_, stream, {}, &TimeSegment::stream);
    return static_cast<std::size_t>(later - segments_.begin());
}

void TimeMap::add(const TimeSegment& segment) {
    assert(segments_.empty() || segment.stream >= segments_.back().stream);
    if (!segments_.empty() && segments_.back().stream == segment.stream) segments_.pop_back();
    const auto says = [&](const TimeSegment& last) {
        return last.host == segment.host && last.rate == segment.rate && !segment.jumpsFrom(last);
    };
    const bool said = !segments_.empty() && says(segments_.back());
    if (!said) segments_.push_back(segment);
    if (segments_.size() > maxSegments) forget(forgottenAtOnce);
}

void TimeMap::forget(std::size_t count) {
    const auto kept = segments_.begin() + static_cast<std::ptrdiff_t>(std::min(count, segments_.size()));
    segments_.erase(segments_.begin(), kept);
    forgotten_ += count;
}

void TimeMap::clear() { *this = {}; }

TimeMap TimeMap::from(double stream) const {
    TimeMap map;
    const std::size_t later = segmentAt(stream);
    if (host(stream))
        map.add({.stream = 0.0, .shown = shown(stream), .host = true, .rate = segments_[later - 1].rate});
    for (TimeSegment segment : std::span(segments_).subspan(later)) {
        segment.stream -= stream;
        if (!segment.host) segment.shown = segment.stream;
        map.add(segment);
    }
    return map;
}

bool TimeMap::copySince(TimeMap& mirror) const {
    auto& theirs = mirror.segments_;
    if (mirror.forgotten_ == forgotten_ && theirs.size() == segments_.size() &&
        (theirs.empty() || theirs.back() == segments_.back()))
        return false;
    mirror.forget(forgotten_ - mirror.forgotten_);
    // add() replaces only the last segment, and may remove it without a successor. Copy the last one again.
    theirs.resize(std::min(theirs.size(), segments_.size()));
    if (!theirs.empty()) theirs.pop_back();
    theirs.insert(theirs.end(), segments_.begin() + static_cast<std::ptrdiff_t>(theirs.size()),
                  segments_.end());
    return true;
}

double TimeMap::shown(double stream) const {
    const std::size_t found = segmentAt(stream);
    return found == 0 ? stream : segments_[found - 1].shownAt(stream);
}

bool TimeMap::host(double stream) const {
    const std::size_t found = segmentAt(stream);
    return found > 0 && segments_[found - 1].host;
}

} // namespace earshot::streaming
