// Events of a growing timeline, kept up to date cheaply: a machine for each class stands where columns are
// settled, and a copy of it replays the few that may still change. Always equal to deriveEvents() on the same
// timeline while that keeps all its columns (EventStream is for recordings, of which none are kept).
//
// Of a timeline that forgets (Timeline::firstKept()), events that begin before its first column stay as they
// were last judged, also when the settings change: what is going on at that column then ends there, and what
// is kept is judged anew. Near misses go with their columns. By thresholds: live, an event must show at once,
// and boxes are chosen when a sound is over. One thread at a time (the message thread, over its own mirror).
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

    // True when events or near misses changed. Another timeline, or one that was reset, starts anew. Of more
    // than `most` events the oldest are dropped.
    bool update(const Timeline& timeline, const EventSettings& settings,
                std::size_t most = std::numeric_limits<std::size_t>::max());
    void clear();

    const EventList& list() const;
    std::int64_t dropped() const; // events, so far
    // The near miss of a class at a time, or null.
    const NearMiss* nearMissAt(int classIndex, double seconds) const;
    const Event* eventAt(int classIndex, double seconds) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
