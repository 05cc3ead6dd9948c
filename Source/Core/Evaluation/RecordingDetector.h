// Derives a recording's events from kept probabilities by the product's own rules, so that scores describe
// the events that users see. One thread at a time per object.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Sebbs.h"
#include "Core/Detection/Timeline.h"
#include "Core/Evaluation/Recording.h"

#include <memory>
#include <span>
#include <vector>

namespace earshot::evaluation {

// The product's own event rules (Detection/Events/Events): hysteresis with `off` = `release` * threshold,
// median filter, minimum duration, merge gap; one threshold per class. With a scorer, boxes replace them:
// thresholds are least confidences, and release and median are ignored.
struct DetectorSettings {
    float release = 0.5f;
    int median = 1;           // columns
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds
    std::shared_ptr<const detection::SebbScorer> sebbs = nullptr;
    std::vector<int> only = {}; // the classes that are detected; empty: all
};

// Builds the recording's timeline once for many thresholds.
class RecordingDetector {
  public:
    RecordingDetector(const Scored& recording, int classes, const DetectorSettings& settings);

    // thresholds: one per class.
    std::vector<Annotation> detect(std::span<const float> thresholds) const;
    std::vector<detection::Event> events(std::span<const float> thresholds) const;

  private:
    detection::Timeline timeline_;
    DetectorSettings settings_;
};

std::vector<Annotation> detect(const Scored& recording, int classes, std::span<const float> thresholds,
                               const DetectorSettings& settings);

} // namespace earshot::evaluation
