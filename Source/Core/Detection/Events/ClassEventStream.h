// Events and near misses of one class, column by column: what EventStream is made of. Holds sums and peaks of
// what is going on, never the columns themselves. One thread at a time.
#pragma once

#include "Core/Detection/Events/ClassEvents.h"
#include "Core/Detection/Events/Events.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace earshot::detection {

class ClassEventStream {
  public:
    ClassEventStream(int classIndex, double secondsPerColumn, const EventRule& rule, bool nearMisses);

    // The next column: its probability, and what the median filter leaves of it. Columns in which both are
    // below `off` may be left out while the stream is idle.
    void add(std::int64_t column, float value, float filtered, EventList& found);
    // Nothing is going on: no column before the next one matters any more.
    bool idle() const { return !run_ && !event_ && !raw_ && pending_.empty(); }
    // After the last column; duration: seconds, at which what reaches that far ends.
    void finish(double duration, EventList& found);

  private:
    // Columns in a row, and what is told of them.
    struct Stretch {
        Run columns;
        double sum = 0.0;
        float peak = 0.0f;         // before the median filter
        float filteredPeak = 0.0f; // after it

        void extend(std::int64_t column, float value, float filtered);
    };
    // What will be a near miss unless an event turns out to cover it.
    struct Candidate {
        Stretch stretch;
        Rejection reason;
        bool gone = false; // listed, or no near miss after all
    };

    static void extend(std::optional<Stretch>& stretch, std::int64_t column, float value, float filtered);
    bool joins(std::int64_t next) const;
    bool covered(const Stretch& stretch) const;
    void endRun();
    void endRaw();
    void endEvent(EventList& found);
    void suspect(const Stretch& stretch, Rejection reason);
    void dropCovered();
    void decide(EventList& found);
    bool decided(const Candidate& candidate, std::int64_t open) const;
    Event makeEvent(const Stretch& stretch) const;

    int classIndex_;
    double secondsPerColumn_;
    EventRule rule_;
    bool nearMisses_;
    std::optional<double> duration_;

    std::optional<Stretch> run_;     // going on: filtered columns at or above `off`
    std::optional<Stretch> event_;   // reached `on` in the past; later runs may still be joined to it
    std::optional<Stretch> onward_;  // the event, and all columns since
    std::optional<Stretch> raw_;     // going on: columns at or above `off` without the filter
    bool rawHeard_ = false;          // an event covers a part of it
    std::vector<Candidate> pending_; // by their ends
};

} // namespace earshot::detection
