// Turns columns of probabilities into events, and explains near misses.
//
// For each class: a median filter over columns; then hysteresis (an event contains a column of at least `on`,
// and extends on both sides while columns stay at or above `off`); then events separated by less than
// `mergeGap` are joined; then those shorter than `minDuration` are dropped. The input are stored
// probabilities, so other settings need no second pass of the network. With a BoxScorer in the settings,
// boxes (Boxes.h) replace the filter and the hysteresis. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace earshot::detection {

class BoxScorer;
class Timeline;

inline constexpr float defaultThreshold = 0.4f;
inline constexpr float defaultRelease = 0.5f; // of the threshold

// Columns are compared with durations given in decimal seconds: 3 columns of 0.32 s are 0.96 s.
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
    std::map<int, EventRule> overrides; // by class index; they replace `rule`
    // With a scorer, `on` of the rules is the least confidence of a box, and `off` and `median` are not used.
    std::shared_ptr<const BoxScorer> boxes = nullptr;

    const EventRule& ruleFor(int classIndex) const;
    bool operator==(const EventSettings&) const = default;
};

struct Event {
    int classIndex = 0;
    double onset = 0.0;      // seconds from the first sample
    double offset = 0.0;     // seconds, at most the recording's end
    float peak = 0.0f;       // largest probability within, before the median filter
    float mean = 0.0f;       // mean probability within, before the median filter
    float confidence = 0.0f; // of a box; 0 with thresholds

    bool operator==(const Event&) const = default;
};

enum class Rejection {
    belowThreshold, // reached `off` but not `on`
    filtered,       // reached `on`, but the median filter removed it
    tooShort,       // shorter than `minDuration`
    unsure,         // a box with too little confidence
};

struct NearMiss {
    Event event; // as it would be without the failed rule
    Rejection reason = Rejection::belowThreshold;
    double found = 0.0;    // the peak after the median filter, the duration in seconds, or the confidence
    double required = 0.0; // the threshold, duration or confidence that was needed

    bool operator==(const NearMiss&) const = default;
};

struct EventList {
    std::vector<Event> events;        // by onset, then class
    std::vector<NearMiss> nearMisses; // likewise

    bool operator==(const EventList&) const = default;
};

// Compares by onset, then class.
bool earlier(const Event& a, const Event& b);

struct Run {
    std::int64_t first = 0; // column
    std::int64_t last = 0;  // column, included

    bool operator==(const Run&) const = default;
};

// Throws earshot::Error when a rule makes no sense (`off` above `on`, even median, values that are negative
// or not finite).
void validate(const EventRule& rule);
void validate(const EventSettings& settings);
// Uses the columns that the timeline keeps.
EventList deriveEvents(const Timeline& timeline, const EventSettings& settings);

// "Not an event: 0.46 is below the threshold 0.50"
std::string explain(const NearMiss& miss);

} // namespace earshot::detection
