// Events of a recording while its columns come. Memory grows with the events found, not with the recording.
// The result equals deriveEvents() over all columns, to the bit. One thread at a time.
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
    // reported: (classes), which classes to report; empty: all. Without `nearMisses` the list has none.
    // Throws earshot::Error when a rule makes no sense.
    EventStream(int classes, double secondsPerColumn, const EventSettings& settings,
                const std::vector<bool>& reported = {}, bool nearMisses = true);

    // Takes the next final column: (classes) probabilities.
    void add(std::span<const float> probabilities);
    std::int64_t columns() const { return columns_; }
    // Call it after the last column. duration: seconds of the recording; the last column begins before it.
    EventList finish(double duration);

  private:
    double secondsPerColumn_;
    std::vector<std::pair<std::size_t, EventMachine>> machines_; // by class: those that are reported,
    std::vector<ClassBoxStream> boxes_;                          // or, where boxes are chosen, these
    std::int64_t columns_ = 0;                                   // so far
    EventList found_;
};

} // namespace earshot::detection
