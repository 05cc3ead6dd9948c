// Applies the rules of events (Events.h) to one class, a column at a time: median filter, hysteresis, merge
// gap, minimum duration and near misses. All events come from this machine: recordings and live lists feed it
// columns as they become final, MIDI and OSC as they first appear.
//
// A machine holds the sums and peaks of the current stretches, and only the columns that its median filter
// reads. It is therefore cheap to copy, and a copy may replay columns that are not final yet. Times are
// seconds from the first sample. A plain value: one thread at a time.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace earshot::detection {

class EventMachine {
  public:
    // first: the first column that step() gets; the filter reads none before it. Without `nearMisses` the
    // machine finds none. Precondition: the rule is valid.
    EventMachine(int classIndex, double secondsPerColumn, const EventRule& rule, bool nearMisses,
                 std::int64_t first = 0);

    // Sets the recording's end, if known: later onsets and offsets are moved to it.
    void setDuration(std::optional<double> seconds) { duration_ = seconds; }
    // Changes the rule from the filter's next output column on.
    void setRule(const EventRule& rule);

    // Takes the next column. Appends the events and near misses that no later column can change. onsets: if
    // given, gets each event as soon as the rules accept it, with its offset, peak and mean so far; exactly
    // these become events in the end, even if the rule changes later.
    void step(float value, EventList& found, std::vector<Event>* onsets = nullptr) {
        if (value < rule_.off && rule_.median == 1 && !busy_ && judged_ == columns_) {
            judged_ = ++columns_;
            recent_.clear();
            return;
        }
        take(value, found, onsets);
    }
    // Call after the last column.
    void finish(EventList& found, std::vector<Event>* onsets = nullptr);

    std::int64_t columns() const { return columns_; } // how many step() got, plus those before the first
    // Returns whether nothing is in progress: while columns stay below `off`, nothing will be found.
    bool idle() const { return !busy_ && loud_ < std::max(first_, judged_ - rule_.median / 2); }
    // The first column of the earliest event that may still come.
    std::int64_t openSince() const {
        std::int64_t first = judged_;
        for (const auto* stretch : {&event_, &run_})
            if (*stretch) first = std::min(first, (*stretch)->columns.first);
        return first;
    }

  private:
    // Consecutive columns and their statistics.
    struct Stretch {
        Run columns;
        double sum = 0.0;
        float peak = 0.0f;         // before the median filter
        float filteredPeak = 0.0f; // after it
        bool reachedOn = false;    // whether a filtered column reached `on`

        void extend(std::int64_t column, float value, float filtered);
    };
    // A possible near miss: it becomes one unless an event turns out to cover it.
    struct Candidate {
        Stretch stretch;
        Rejection reason;
        bool gone = false; // already listed, or rejected
    };

    void take(float value, EventList& found, std::vector<Event>* onsets);
    void advance(bool ends, EventList& found, std::vector<Event>* onsets);
    float median(std::int64_t column, std::int64_t reach) const;
    void judge(std::int64_t column, float value, float filtered, EventList& found, bool tells);
    void tellOnset(std::vector<Event>& onsets);
    static void extend(std::optional<Stretch>& stretch, std::int64_t column, float value, float filtered);
    bool covered(const Stretch& stretch) const;
    void endRun();
    void endRaw();
    void endEvent(EventList& found, bool tells);
    void suspect(const Stretch& stretch, Rejection reason);
    void decide(EventList& found);
    bool decided(const Candidate& candidate, std::int64_t open) const;
    double start(std::int64_t column) const;
    bool joins(std::int64_t next) const;
    Event makeEvent(const Stretch& stretch) const;

    int classIndex_;
    double secondsPerColumn_;
    EventRule rule_;
    bool nearMisses_;
    std::optional<double> duration_;

    // no column before it exists for the filter
    std::int64_t first_;
    std::int64_t columns_;   // added so far, including those before the first
    std::int64_t judged_;    // columns that have been through the filter
    std::int64_t loud_ = -1; // the last column at or above `off`
    // the last columns, at least as many as the filter may still read
    std::vector<float> recent_;

    bool busy_ = false;              // whether any of the members below is set
    std::optional<Stretch> run_;     // in progress: filtered columns at or above `off`
    std::optional<Stretch> event_;   // has ended with `on` reached; later runs may still be joined to it
    std::optional<Stretch> onward_;  // the event and all columns since
    bool told_ = false;              // whether its onset was reported
    std::optional<Stretch> raw_;     // in progress: unfiltered columns at or above `off`
    bool rawHeard_ = false;          // whether an event covers a part of raw_
    std::vector<Candidate> pending_; // by their ends
};

} // namespace earshot::detection
