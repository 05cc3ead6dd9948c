// How well detections agree with annotations: segment-based and event-based F1 (Mesaros, Heittola and
// Virtanen, "Metrics for polyphonic sound event detection", 2016; as sed_eval computes them),
// intersection-based PSDS (Bilen et al., "A framework for the robust evaluation of sound event detection",
// 2020; scenarios 1 and 2 of DCASE Task 4), and mean average precision. Definitions are cited where they are
// computed. Pure functions: any thread.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Core/Evaluation/ClipScores.h"
#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Psds.h"
#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace earshot::evaluation {

// The product's own rules (Detection/Events/Events): hysteresis with release `release` * threshold, median,
// minimum duration, gap, and a threshold for each class. With a scorer, boxes are chosen instead: thresholds
// are least confidences, and release and median are not used.
struct DetectorSettings {
    float release = 0.5f;
    int median = 1;           // columns
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds
    std::shared_ptr<const detection::BoxScorer> boxes = nullptr;
};

// Makes events from stored probabilities by the product's own rules, so that the scores are those of what a
// user sees. The recording's timeline is built once and serves many thresholds.
class RecordingDetector {
  public:
    RecordingDetector(const Scored& recording, int classes, const DetectorSettings& settings);

    // thresholds: one for each class.
    std::vector<Annotation> detect(std::span<const float> thresholds) const;

  private:
    detection::Timeline timeline_;
    DetectorSettings settings_;
};

std::vector<Annotation> detect(const Scored& recording, int classes, std::span<const float> thresholds,
                               const DetectorSettings& settings);

struct ClassScores {
    std::int64_t annotated = 0; // events
    Counts segments;            // at `threshold`
    Counts events;              // 200 ms / 20 %
    Counts looseEvents;         // onset within 0.5 s, offset within 0.5 s or half the length
    std::optional<double> averagePrecision;
    float threshold = 0.5f;
};

struct Scores {
    std::vector<ClassScores> classes;
    Counts segments, events, looseEvents; // micro
    double segmentMacroF1 = 0.0, eventMacroF1 = 0.0, looseEventMacroF1 = 0.0;
    double psds1 = 0.0, psds2 = 0.0;
    double meanAveragePrecision = 0.0; // over the classes that any recording holds
    double falseAlarmsPerHour = 0.0; // detections that touch no annotation of their class, per hour of audio
    double seconds = 0.0;            // of strongly labelled audio
    // (classes + 1, classes + 1): annotated by detected segments of a second; the last is nothing
    Confusion confusion;
};

struct EvaluationSettings {
    DetectorSettings detector;
    int sweep = 50; // thresholds of the PSDS curves, evenly between 0 and 1; 0 leaves PSDS out
};
// thresholds: one for each class. Everything except average precision uses the strongly labelled recordings
// alone.
Scores evaluate(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                const EvaluationSettings& settings);

// Scores with one threshold for all classes, for each threshold of a list.
struct SweepPoint {
    float threshold = 0.0f;
    Counts segments, events, looseEvents; // micro
    double falseAlarmsPerHour = 0.0;
};
std::vector<SweepPoint> sweep(std::span<const Scored> recordings, int classes,
                              std::span<const float> thresholds, const DetectorSettings& settings);

// Chooses a threshold for each class (on a grid from 0.05 to 0.95) so that the loose event F1 of all events
// together is as high as possible. So a class that is mostly wrong is reported only when it is sure. Each
// class is counted with three average events more, so that a few of its own do not decide alone.
std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings);

} // namespace earshot::evaluation
