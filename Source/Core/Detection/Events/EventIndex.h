// Keeps the events of a growing timeline up to date at low cost: a machine per class holds the state after
// the settled columns, and a copy of it replays the few columns that may still change. The result always
// equals deriveEvents() on the same timeline as long as that keeps all its columns. (EventStream serves
// recordings, which keep none.)
//
// With a SebbScorer, a sound gets its events once it is over, and the result equals deriveEvents() once the
// timeline has ended and no update is behind(): each reads only so many columns that it is short.
//
// If the timeline forgets columns (Timeline::firstKept()), events that begin before its first kept column
// stay as last derived, even if the settings change: those still in progress there end at that column, and
// the kept columns are judged anew. Near misses are dropped with their columns. Such timelines take
// thresholds alone: live, an event must show at once.
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

    // Returns whether events or near misses changed. Starts anew for another timeline, for one that was
    // reset, and for other settings. Drops the oldest events beyond `most`.
    bool update(const Timeline& timeline, const EventSettings& settings,
                std::size_t most = std::numeric_limits<std::size_t>::max());
    // Whether the last update left settled columns to the next.
    bool behind() const;
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
