// Events of a recording as its columns come, in memory that grows with what is found and not with what is
// heard. The same, to the bit, as deriveEvents() over all columns at once. One thread at a time.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Events/EventMachine.h"
#include "Core/Detection/Events/Events.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace earshot::detection {

class EventStream {
  public:
    // reported: (classes), others are left out; empty: all. Without `nearMisses` the list has none.
    // Throws earshot::Error when a rule makes no sense.
    EventStream(int classes, double secondsPerColumn, const EventSettings& settings,
                const std::vector<bool>& reported = {}, bool nearMisses = true);

    // The next column, final: (classes) probabilities.
    void add(std::span<const float> probabilities);
    std::int64_t columns() const { return columns_; }
    // After the last column, which begins before `duration` (seconds) does.
    EventList finish(double duration);

  private:
    double secondsPerColumn_;
    std::vector<std::pair<std::size_t, EventMachine>> machines_; // by class: those that are reported,
    std::vector<ClassBoxStream> boxes_;                          // or, where boxes are chosen, these
    std::int64_t columns_ = 0;                                   // so far
    EventList found_;
};

} // namespace earshot::detection
