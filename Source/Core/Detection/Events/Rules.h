// Builds one set of rules for all classes from the user's few settings and those that the model's author
// chose. The command line and the plugin share it, so that the same settings give the same events.
// Pure functions: any thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"

#include <map>
#include <memory>

namespace earshot::detection {

inline constexpr int maxMedian = 99;          // columns
inline constexpr double maxDuration = 3600.0; // seconds, of minDuration and mergeGap
inline constexpr float maxSensitivity = 6.0f; // logits, either way

// A sensitivity is subtracted from all thresholds on the logit scale: 0 leaves each as it is, more gives more
// events. Returns the common threshold (RuleChoice::threshold) that does so, and back, within the limits.
float thresholdAt(float sensitivity);
float sensitivityAt(float threshold);

struct RuleChoice {
    // At its default, every class has its author's threshold. Moving it moves all of them by the same amount
    // on the logit scale. A class without a threshold of its own has this one.
    float threshold = defaultThreshold;
    // Of each class's threshold, 0 to 1. At its default it is the author's; moving it moves that likewise.
    float release = defaultRelease;
    int median = 1;           // columns, odd
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds; at least the author's
    // by class index; replaces both the common and the author's threshold
    std::map<int, float> classThresholds;

    bool operator==(const RuleChoice&) const = default;
};

// The odd number of columns whose length is nearest to `seconds`, at least 1 and at most maxMedian.
int medianOf(double seconds, double secondsPerColumn);

// `overrides` gets a rule for every class. Values out of range are clamped; an even median becomes odd.
EventSettings eventSettings(const RuleChoice& choice, const Labels& labels);
// Lets `boxes` choose the events, with at least that confidence, in place of thresholds and the median
// filter.
void useSebbs(EventSettings& settings, std::shared_ptr<const SebbScorer> sebbs, float minConfidence);

} // namespace earshot::detection
