// Derives the events of a recording as its columns come, in memory that grows with the events that are not
// handed over and not with the recording. The result equals deriveEvents() over all columns at once, bit for
// bit. One thread at a time.
#pragma once

#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Sebbs.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace earshot::detection {

class EventStream {
  public:
    // reported: (classes), the result omits all others; empty: all classes. Without `nearMisses` the list has
    // none.
    // Throws earshot::Error if a rule makes no sense.
    EventStream(int classes, double secondsPerColumn, const EventSettings& settings,
                const std::vector<bool>& reported = {}, bool nearMisses = true);

    // Takes the next final column: (classes) probabilities.
    void add(std::span<const float> probabilities);
    std::int64_t columns() const { return columns_; }
    // An event waits this long for others that began before it and have not ended, so that events come by
    // onset: seconds after its end.
    static constexpr double maxWait = 4.0;
    // Hands over, by onset, the events that no later column can change and that need not wait for others.
    std::vector<Event> takeSettled();
    // What was not handed over. Call after the last column, which begins before `duration` (seconds).
    EventList finish(double duration);

  private:
    double openSince() const;

    double secondsPerColumn_;
    // one per reported class, if thresholds decide
    std::vector<std::pair<std::size_t, EventMachine>> machines_;
    std::vector<ClassSebbStream> sebbs_; // one per reported class, if boxes are chosen
    std::int64_t columns_ = 0;           // added so far
    EventList found_;
};

} // namespace earshot::detection
