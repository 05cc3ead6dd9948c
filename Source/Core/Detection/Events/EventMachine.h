// The rules of events (Events.h) for one class, one column at a time: median filter, hysteresis, merge gap,
// minimum duration and near misses. All events come from this machine. Recordings and live lists feed it
// final columns; MIDI and OSC feed it columns at their first appearance.
//
// A machine holds sums and peaks of the current event, and no more columns than its median filter reads. So
// it is cheap to copy, and a copy can replay columns that are not final yet. Times are seconds from the first
// sample. A plain value: one thread at a time.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace earshot::detection {

class EventMachine {
  public:
    // first: the first column that step() gets; the filter does not look before it. Without `nearMisses` none
    // are found. The rule must be valid.
    EventMachine(int classIndex, double secondsPerColumn, const EventRule& rule, bool nearMisses,
                 std::int64_t first = 0);

    // Sets the end of the recording, once it is known. Events are cut there.
    void setDuration(std::optional<double> seconds) { duration_ = seconds; }
    // Takes effect from the next column that leaves the filter.
    void setRule(const EventRule& rule);

    // Takes the next column. Appends the events and near misses that no later column can change. onsets: if
    // given, gets each event as soon as the rules are sure of it, with the offset, peak and mean so far.
    // Exactly these become events in the end, even if the rules change.
    void step(float value, EventList& found, std::vector<Event>* onsets = nullptr) {
        if (value < rule_.off && rule_.median == 1 && !busy_ && judged_ == columns_) {
            judged_ = ++columns_;
            recent_.clear();
            return;
        }
        take(value, found, onsets);
    }
    // Call it after the last column.
    void finish(EventList& found, std::vector<Event>* onsets = nullptr);

    std::int64_t columns() const { return columns_; } // columns of step(), and those before the first
    // Whether no event is open. As long as columns stay below `off`, nothing is found then.
    bool idle() const { return !busy_ && loud_ < std::max(first_, judged_ - rule_.median / 2); }

  private:
    // Consecutive columns, and what is known about them.
    struct Stretch {
        Run columns;
        double sum = 0.0;
        float peak = 0.0f;         // before the median filter
        float filteredPeak = 0.0f; // after it
        bool reachedOn = false;    // filtered

        void extend(std::int64_t column, float value, float filtered);
    };
    // A near miss, unless an event turns out to cover it.
    struct Candidate {
        Stretch stretch;
        Rejection reason;
        bool gone = false; // listed, or no near miss after all
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

    std::int64_t first_;        // column that the filter may read
    std::int64_t columns_;      // so far
    std::int64_t judged_;       // columns that have passed the filter
    std::int64_t loud_ = -1;    // the last column at or above `off`
    std::vector<float> recent_; // the last columns, as many as the filter may still read, or more

    bool busy_ = false;              // any of these exists:
    std::optional<Stretch> run_;     // open: filtered columns at or above `off`
    std::optional<Stretch> event_;   // it has reached `on`; later runs may still be joined to it
    std::optional<Stretch> onward_;  // the event, and all columns since
    bool told_ = false;              // its onset was reported
    std::optional<Stretch> raw_;     // open: columns at or above `off`, without the filter
    bool rawHeard_ = false;          // an event covers a part of it
    std::vector<Candidate> pending_; // by their end
};

} // namespace earshot::detection
