// Keeps the events of a growing timeline up to date at low cost: a machine per class holds the state after
// the settled columns, and a copy of it replays the few columns that may still change. The result always
// equals deriveEvents() on the same timeline as long as that keeps all its columns. (EventStream serves
// recordings, which keep none.)
//
// If the timeline forgets columns (Timeline::firstKept()), events that begin before its first kept column
// stay as last derived, even if the settings change: those still in progress there end at that column, and
// the kept columns are judged anew. Near misses are dropped with their columns. Only thresholds are
// supported: live, an event must show at once, but boxes are chosen when a sound is over.
// One thread at a time (the message thread, over its own mirror).
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

    // Returns whether events or near misses changed. Starts anew for another timeline, or for one that was
    // reset. Drops the oldest events beyond `most`.
    bool update(const Timeline& timeline, const EventSettings& settings,
                std::size_t most = std::numeric_limits<std::size_t>::max());
    void clear();

    const EventList& list() const;
    std::int64_t dropped() const; // events dropped so far
    // Returns the near miss, or event, of a class at a time, or null.
    const NearMiss* nearMissAt(int classIndex, double seconds) const;
    const Event* eventAt(int classIndex, double seconds) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
