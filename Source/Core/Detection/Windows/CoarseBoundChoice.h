// Chooses the bound of a model (CoarseBound.h) on sounds that it was not trained with: the largest that keeps
// nearly all events, with a margin. One thread.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace earshot::detection {

class CoarseBoundChoice {
  public:
    static constexpr std::size_t minEvents = 200;
    static constexpr double keptEvents = 0.999; // of all
    static constexpr float margin = 0.75f;      // of the odds at which these are just kept

    // Takes a recording: its events if every window runs, and its columns, (columns, thresholds.size())
    // probabilities of columnSeconds each, in windows that do not overlap. thresholds: of the classes, with
    // which the events were derived.
    void add(std::span<const Event> events, std::span<const float> looks, double columnSeconds,
             std::span<const float> thresholds);
    std::size_t events() const { return shares_.size(); }
    // Returns none if there were fewer events than minEvents.
    std::optional<float> bound() const;

  private:
    std::vector<double>
        shares_; // for each event: the largest bound, of the odds of its threshold, that keeps it
};

} // namespace earshot::detection
