// How well detections agree with annotations. Definitions, each cited where it is computed:
// segment-based and event-based F1 (Mesaros, Heittola and Virtanen, "Metrics for polyphonic sound event
// detection", 2016; as sed_eval computes them), intersection-based PSDS (Bilen et al., "A framework for the
// robust evaluation of sound event detection", 2020; scenarios 1 and 2 of DCASE Task 4), mean average
// precision. Pure functions: any thread.
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

// Events from kept probabilities by the product's own rules, so that scores are those of what a user sees, at
// many thresholds: the recording's timeline is built once.
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
    Confusion confusion; // (classes + 1, classes + 1): annotated by detected seconds-segments; last: nothing
};

struct EvaluationSettings {
    DetectorSettings detector;
    int sweep = 50; // thresholds of the PSDS curves, evenly between 0 and 1; 0 leaves PSDS out
};
// thresholds: one per class. Everything but average precision is of the strongly labelled recordings alone.
Scores evaluate(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                const EvaluationSettings& settings);

// The same threshold for all classes, for each of a list: what a sweep shows.
struct SweepPoint {
    float threshold = 0.0f;
    Counts segments, events, looseEvents; // micro
    double falseAlarmsPerHour = 0.0;
};
std::vector<SweepPoint> sweep(std::span<const Scored> recordings, int classes,
                              std::span<const float> thresholds, const DetectorSettings& settings);

// One threshold per class (of a grid from 0.05 to 0.95) so that the loose event F1 of all events together is
// as high as can be: a class that is mostly mistaken is heard only when it is sure, rather than filling the
// list with its mistakes. Each class is counted with three average events more, so that a few of its own do
// not decide alone.
std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings);

} // namespace earshot::evaluation
