// Events of a growing timeline, kept up to date cheaply: only the end that may still change is derived again,
// and everything when the settings change. Always equal to deriveEvents() on the same timeline,
// which keeps all its columns (EventStream is for those that do not).
// By thresholds: live, an event must show at once, and boxes are chosen when a sound is over.
// One thread at a time (the message thread, over its own mirror).
#pragma once

#include "Core/Detection/Events/Events.h"

#include <cstdint>
#include <memory>

namespace earshot::detection {

class Timeline;

class EventIndex {
  public:
    EventIndex();
    ~EventIndex();

    // True when events or near misses changed. Another timeline, or one that was reset, starts anew.
    bool update(const Timeline& timeline, const EventSettings& settings);
    void clear();

    const EventList& list() const;
    // The near miss of a class at a time, or null.
    const NearMiss* nearMissAt(int classIndex, double seconds) const;
    const Event* eventAt(int classIndex, double seconds) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
