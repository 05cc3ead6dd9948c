// Turns columns of probabilities into events, and explains why a near miss is not an event.
//
// Four steps per class: a median filter over columns; hysteresis (an event has a column of at least `on` and
// extends to both sides as long as columns stay at or above `off`); events less than `mergeGap` apart are
// joined; those shorter than `minDuration` are dropped. Only kept probabilities are read, so changed settings
// need no second pass of the network. With a SebbScorer in the settings, boxes (Boxes.h) replace the filter
// and the hysteresis. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace earshot::detection {

class SebbScorer;
class Timeline;

inline constexpr float defaultThreshold = 0.4f;
inline constexpr float defaultRelease = 0.5f; // default `off` as a share of the threshold

// Tolerance of comparisons between columns and durations in decimal seconds: 3 columns of 0.32 s are 0.96 s.
inline constexpr double secondsTolerance = 1e-9;

struct EventRule {
    float on = defaultThreshold;                   // probability
    float off = defaultThreshold * defaultRelease; // probability, at most `on`
    int median = 1;                                // columns, odd; 1 is no filter
    double minDuration = 0.0;                      // seconds
    double mergeGap = 0.0;                         // seconds

    bool operator==(const EventRule&) const = default;
};

struct EventSettings {
    EventRule rule;
    std::map<int, EventRule> overrides; // by class index, in place of `rule`
    // If set, `on` of the rules is the least confidence of a box, and `off` and `median` are ignored.
    std::shared_ptr<const SebbScorer> sebbs = nullptr;

    const EventRule& ruleFor(int classIndex) const;
    // Columns of the class below this probability belong to no event and no near miss.
    float floorFor(int classIndex) const;
    bool operator==(const EventSettings&) const = default;
};

struct Event {
    int classIndex = 0;
    double onset = 0.0;      // seconds from the first sample
    double offset = 0.0;     // seconds, at most the recording's end
    float peak = 0.0f;       // largest probability within, before the median filter
    float mean = 0.0f;       // mean probability within, before the median filter
    float confidence = 0.0f; // of a box; 0 if thresholds decided
    int channel = 0;         // of the recording, counted from 1; 0: the mix

    bool operator==(const Event&) const = default;
};

enum class Rejection {
    belowThreshold, // reached `off` but not `on`
    filtered,       // reached `on`, but the median filter smoothed it away
    tooShort,       // shorter than `minDuration`
    unsure,         // a box of too little confidence
};

struct NearMiss {
    Event event; // as it would have been if accepted
    Rejection reason = Rejection::belowThreshold;
    double found = 0.0;    // the peak after the median filter, the duration in seconds, or the confidence
    double required = 0.0; // the least value that would have been accepted

    bool operator==(const NearMiss&) const = default;
};

struct EventList {
    std::vector<Event> events;        // by onset, then class
    std::vector<NearMiss> nearMisses; // by onset, then class

    bool operator==(const EventList&) const = default;
};

// Orders by onset, then class, then all that they hold: only equal ones have no order.
struct Earlier {
    bool operator()(const Event& a, const Event& b) const;
    bool operator()(const NearMiss& a, const NearMiss& b) const;
};
inline constexpr Earlier earlier;

struct Run {
    std::int64_t first = 0; // column
    std::int64_t last = 0;  // column, included

    bool operator==(const Run&) const = default;
};

// Throws earshot::Error if a rule makes no sense (off above on, even median, negative or non-finite values).
void validate(const EventRule& rule);
void validate(const EventSettings& settings);
// Derives the events of the columns that the timeline keeps.
EventList deriveEvents(const Timeline& timeline, const EventSettings& settings);

// "Not an event: 0.46 is below the threshold 0.50"
std::string explain(const NearMiss& miss);

} // namespace earshot::detection
