// Events of a growing timeline, kept up to date cheaply. A machine for each class stands at the end of the
// settled columns, and a copy of it replays the open ones. The events always equal deriveEvents() on the same
// timeline while that keeps all its columns. (EventStream is for recordings, which keep none.)
//
// If the timeline forgets columns (Timeline::firstKept()), events that begin before its first column stay as
// they were last judged, even when the settings change. An event across that column ends there, and the kept
// columns are judged anew. Near misses go with their columns. Thresholds decide here, not boxes: live, an
// event must show at once, and boxes are chosen after a sound is over. One thread at a time (the message
// thread, over its own mirror).
#pragma once

#include "Core/Detection/Events/Events.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace earshot::detection {

class Timeline;

class EventIndex {
  public:
    EventIndex();
    ~EventIndex();

    // Returns true when events or near misses changed. Another timeline, or one that was reset, starts anew.
    // The oldest of more than `most` events are dropped.
    bool update(const Timeline& timeline, const EventSettings& settings,
                std::size_t most = std::numeric_limits<std::size_t>::max());
    void clear();

    const EventList& list() const;
    std::int64_t dropped() const; // events dropped so far
    // The near miss of a class at a time; null if there is none.
    const NearMiss* nearMissAt(int classIndex, double seconds) const;
    const Event* eventAt(int classIndex, double seconds) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
