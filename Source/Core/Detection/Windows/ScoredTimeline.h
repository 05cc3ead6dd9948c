// The probabilities that a ColumnScorer makes of a timeline of vectors. A column's probabilities depend on
// its mean vector alone, rounded to float16: they are the same to the bit live, from a file, and when kept
// vectors are scored again with other words. One thread at a time.
#pragma once

#include "Core/Detection/Timeline.h"
#include "Core/Detection/Windows/ColumnScorer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace earshot::detection {

class ScoredTimeline {
  public:
    ScoredTimeline(std::shared_ptr<const ColumnScorer> scorer, double secondsPerColumn);

    // Scores what has come or changed in `vectors` since the last call. It always gets the same timeline, or
    // copies of it, which may forget what was settled at the last call.
    void follow(const Timeline& vectors);
    void forget(std::int64_t before) { timeline_.forget(before); }
    void reset() { timeline_.reset(); }
    void resume() { timeline_.resume(); } // see Timeline

    const Timeline& timeline() const { return timeline_; }

  private:
    std::shared_ptr<const ColumnScorer> scorer_;
    Timeline timeline_;
    std::vector<float> rounded_;       // (values)
    std::vector<float> probabilities_; // (classes)
};

} // namespace earshot::detection
