// Maps stream time to displayed time, both in seconds. Stream time counts the audio since the start, gaps
// included. Displayed time is the host's transport position while the host plays, else the stream time. The
// host may loop, jump and play at another rate, so the map is a list of segments, within which displayed time
// advances at one rate. The oldest segments are forgotten: with a loop of one second, the map covers half a
// day. Before the first segment, displayed time is stream time. A plain value: one thread at a time; a caller
// that shares one guards it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace earshot::streaming {

// The host's transport at a block's first sample.
struct HostTime {
    bool playing = false;
    double seconds = 0.0; // position on the host's timeline while playing
    double rate = 1.0;    // of `seconds`, for each second of audio; the ring estimates it
    bool goesOn = false;  // the sample follows others of the same block, and nothing else here counts
};

struct TimeSegment {
    double stream = 0.0; // stream time of its beginning; it ends where the next segment begins
    double shown = 0.0;  // displayed time there; host positions may be negative (pre-roll)
    bool host = false;   // `shown` is the host's position, not the stream time
    double rate = 1.0;   // seconds displayed for each second of the stream

    bool operator==(const TimeSegment&) const = default;
    // Whether the displayed time jumps from the segment before. At another rate of the host's, this segment
    // only corrects the one before.
    bool jumpsFrom(const TimeSegment& before) const;
    double shownAt(double at) const { return shown + rate * (at - stream); } // at: stream time
};

class TimeMap {
  public:
    static constexpr std::size_t maxSegments = 50'000; // 1.6 MB

    // Adds a segment, whose `stream` must not be less than the last one's. A segment that continues the last
    // one to within a millisecond at the same rate is ignored. A segment with the same `stream` as the last
    // one replaces it.
    void add(const TimeSegment& segment);
    void clear();
    // Returns the map of the stream that begins at that stream time of this one.
    TimeMap from(double stream) const;
    // Updates `mirror`, an earlier copy of this map, and returns true if it changed. Copies only the segments
    // that the mirror lacks. Clear the mirror when this map was cleared.
    bool copySince(TimeMap& mirror) const;

    // Returns the displayed time of a stream time.
    double shown(double stream) const;
    // Returns whether the host's transport was playing at a stream time.
    bool host(double stream) const;

    std::span<const TimeSegment> segments() const { return segments_; } // sorted by stream time

  private:
    std::size_t segmentAt(double stream) const; // the segment's index + 1; 0: before the first

    void forget(std::size_t count);

    std::vector<TimeSegment> segments_;
    std::size_t forgotten_ = 0; // number of forgotten segments
};

} // namespace earshot::streaming
