#include "Core/Streaming/TimeMap.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::streaming {

namespace {

constexpr double sameSeconds = 1e-3;
constexpr std::size_t forgottenAtOnce = TimeMap::mostSegments / 50;

} // namespace

std::size_t TimeMap::segmentAt(double stream) const {
    const auto later = std::ranges::upper_bound(segments_, stream, {}, &TimeSegment::stream);
    return static_cast<std::size_t>(later - segments_.begin());
}

void TimeMap::add(const TimeSegment& segment) {
    assert(segments_.empty() || segment.stream >= segments_.back().stream);
    if (!segments_.empty() && segments_.back().stream == segment.stream) segments_.pop_back();
    const bool said = !segments_.empty() && segments_.back().host == segment.host &&
                      std::abs(shown(segment.stream) - segment.shown) < sameSeconds;
    if (!said) segments_.push_back(segment);
    if (segments_.size() > mostSegments) forget(forgottenAtOnce);
}

void TimeMap::forget(std::size_t count) {
    const auto kept = segments_.begin() + static_cast<std::ptrdiff_t>(std::min(count, segments_.size()));
    segments_.erase(segments_.begin(), kept);
    forgotten_ += count;
}

void TimeMap::clear() { *this = {}; }

TimeMap TimeMap::from(double stream) const {
    TimeMap map;
    if (host(stream)) map.add({.stream = 0.0, .shown = shown(stream), .host = true});
    for (TimeSegment segment : std::span(segments_).subspan(segmentAt(stream))) {
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
    if (found == 0) return stream;
    const TimeSegment& segment = segments_[found - 1];
    return segment.shown + (stream - segment.stream);
}

bool TimeMap::host(double stream) const {
    const std::size_t found = segmentAt(stream);
    return found > 0 && segments_[found - 1].host;
}

std::optional<double> TimeMap::stream(double shown, double end) const {
    double limit = end; // where the segment ends; only `end` itself belongs to the last segment
    bool included = true;
    for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
        const double stream = segment->stream + (shown - segment->shown);
        const bool before = included ? stream <= limit : stream < limit;
        if (before && stream >= segment->stream) return stream;
        if (segment->stream <= limit) {
            limit = segment->stream;
            included = false;
        }
    }
    const bool before = included ? shown <= limit : shown < limit;
    if (before && shown >= 0.0) return shown;
    return std::nullopt;
}

} // namespace earshot::streaming
