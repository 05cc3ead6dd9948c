// From stream time (seconds of audio heard since start, gaps included) to the time people see: the host's
// transport position while it plays, else the time since start. The host may loop and jump, so the map is a
// list of segments, each running at one second a second. The oldest segments are forgotten: a transport that
// loops a second stays known for half a day. Before the first that is kept, times are shown as stream times.
// A plain value: one thread at a time; whoever shares one guards it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace earshot::streaming {

// The host's transport at a block's first sample.
struct HostTime {
    bool playing = false;
    double seconds = 0.0; // position on its time line, when playing
};

struct TimeSegment {
    double stream = 0.0; // seconds, where it begins; it reaches to the next segment
    double shown = 0.0;  // seconds, the time to show there; host positions may be negative (pre-roll)
    bool host = false;   // `shown` is the host's position, not time since start

    bool operator==(const TimeSegment&) const = default;
};

class TimeMap {
  public:
    static constexpr std::size_t mostSegments = 50'000; // 1.2 MB

    // Ignored when the last segment already says the same (to a millisecond). `segment.stream` never
    // decreases; one that begins where the last one does replaces it.
    void add(const TimeSegment& segment);
    void clear();
    // Makes `mirror`, a copy of this map as it was once, equal to it again; true when it changed. Costs no
    // more than what was added and forgotten. Clear the mirror when this map was cleared.
    bool copySince(TimeMap& mirror) const;

    // Time to show at a stream time; equal to it where no segment is known.
    double shown(double stream) const;
    // Whether the host's transport was playing there.
    bool host(double stream) const;
    // The latest stream time shown as `shown`, up to `end` (stream seconds heard), if there is one.
    std::optional<double> stream(double shown, double end) const;

    std::span<const TimeSegment> segments() const { return segments_; } // by stream time

  private:
    std::size_t segmentAt(double stream) const; // 1 + its index, 0 before the first

    void forget(std::size_t count);

    std::vector<TimeSegment> segments_;
    std::size_t forgotten_ = 0; // segments before the first
};

} // namespace earshot::streaming
