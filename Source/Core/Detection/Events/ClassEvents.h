// Events and near misses of one class over a stretch of columns: what deriveEvents() and EventIndex share.
// One thread at a time; `timeline` and `values` must outlive it.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::detection {

// Columns are compared with durations given in decimal seconds: 3 columns of 0.32 s are 0.96 s.
inline constexpr double secondsTolerance = 1e-9;

struct Run {
    std::int64_t first = 0; // column
    std::int64_t last = 0;  // column, included

    bool operator==(const Run&) const = default;
};

class ClassEvents {
  public:
    // values: the class's probabilities in columns [context, timeline.columns()). Events begin at `begin` or
    // later; the columns before it only feed the median filter and must reach back as far as it does, or to
    // column 0.
    ClassEvents(const Timeline& timeline, int classIndex, const EventRule& rule,
                std::span<const float> values, std::int64_t context, std::int64_t begin);

    ClassEvents(const ClassEvents&) = delete;
    ClassEvents& operator=(const ClassEvents&) = delete;

    // Appends them, each by onset.
    void appendTo(std::vector<Event>& events, std::vector<NearMiss>& misses) const;

    // The last column, from `begin` up to `limit`, that nothing reaches across: deriving what lies before and
    // what begins there separately gives the same, whatever follows `limit`. The columns before `limit` must
    // be final, and so must what the median filter reads for them.
    std::int64_t cut(std::int64_t limit) const;

  private:
    using Runs = std::vector<Run>; // ascending, apart

    std::span<const float> within(const Run& run, std::span<const float> values) const;
    float peak(const Run& run, std::span<const float> values) const;
    Runs runsAtOrAbove(std::span<const float> values, float threshold) const;
    void findRuns();
    Runs merged(const Runs& runs) const;
    bool joins(const Run& run, std::int64_t next) const;
    Runs smoothedAway() const;
    Event makeEvent(const Run& run) const;

    const Timeline& timeline_;
    int classIndex_;
    const EventRule& rule_;
    std::int64_t begin_;
    std::vector<float> smooth_;       // after the median filter, with the context
    std::span<const float> values_;   // from begin_ on
    std::span<const float> filtered_; // likewise
    Runs accepted_;                   // events, but for their duration
    Runs smoothed_;                   // would be events without the median filter
    Runs weak_;                       // reached `off` only
};

// By onset, then class.
bool earlier(const Event& a, const Event& b);

} // namespace earshot::detection
