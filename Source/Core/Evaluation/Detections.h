// Events from kept probabilities by the product's own rules (Core/Detection/Events/Events), so that scores
// are those of what a user sees. Pure functions, any thread; a RecordingDetector belongs to one thread at a
// time.
#pragma once

#include "Core/Detection/Events/BoxScorer.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Core/Evaluation/Recording.h"

#include <memory>
#include <span>
#include <vector>

namespace earshot::evaluation {

// The product's own (Detection/Events/Events): hysteresis with release `release` * threshold, median, minimum
// duration, gap; thresholds per class. With a scorer, boxes instead: thresholds are least confidences, and
// release and median have no say.
struct DetectorSettings {
    float release = 0.5f;
    int median = 1;           // columns
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds
    std::shared_ptr<const detection::BoxScorer> boxes = nullptr;
};

// Detections at many thresholds: the recording's timeline is built once.
class RecordingDetector {
  public:
    RecordingDetector(const Scored& recording, int classes, const DetectorSettings& settings);

    // thresholds: one per class.
    std::vector<Annotation> detect(std::span<const float> thresholds) const;

  private:
    detection::Timeline timeline_;
    DetectorSettings settings_;
};

std::vector<Annotation> detect(const Scored& recording, int classes, std::span<const float> thresholds,
                               const DetectorSettings& settings);

} // namespace earshot::evaluation
