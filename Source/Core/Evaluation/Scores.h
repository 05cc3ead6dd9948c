// How well detections agree with annotations. The functions that compute the scores cite their definitions:
// segment-based and event-based F1 (Mesaros, Heittola and Virtanen, "Metrics for polyphonic sound event
// detection", 2016; as sed_eval computes them), intersection-based PSDS (Bilen et al., "A framework for the
// robust evaluation of sound event detection", 2020; scenarios 1 and 2 of DCASE Task 4), mean average
// precision. Pure functions: any thread.
#pragma once

#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/Timeline.h"
#include "Core/Evaluation/ClipScores.h"
#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Psds.h"
#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
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
    std::shared_ptr<const detection::BoxScorer> boxes = nullptr;
};

// Derives events from kept probabilities by the product's own rules, so that scores describe the events that
// users see. It builds the recording's timeline once for many thresholds.
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
    Counts events;              // with the default Collar: 200 ms / 20 %
    // with `looseCollar`: onset within 0.5 s, offset within 0.5 s or half the length
    Counts looseEvents;
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
    // (classes + 1, classes + 1): annotated by detected one-second segments; the last row and column: nothing
    Confusion confusion;
};

// The scores of some of the classes: sums of their counts.
struct PartScores {
    std::size_t classes = 0;
    Counts segments, events, looseEvents; // micro
    double meanAveragePrecision = 0.0;
};
struct PartsBySources {
    PartScores many, few;
};
// A class whose recordings come from few independent sources is scored apart: chance decides whether the
// model knows just these.
inline constexpr std::size_t fewestSources = 4;
// sources: for each class, how many the scored recordings come from. Classes with none are in neither part.
PartsBySources partsBySources(const Scores& scores, std::span<const std::size_t> sources);

struct EvaluationSettings {
    DetectorSettings detector;
    // thresholds of the PSDS curves, evenly spaced between 0 and 1; 0: no PSDS
    int sweep = 50;
};
// thresholds: one per class. All scores except average precision use only the strongly labelled recordings.
// others: recordings of none of the classes, which average precision alone ranks as well.
Scores evaluate(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                const EvaluationSettings& settings, std::span<const Scored> others = {});

// Scores at each of several thresholds, the same for all classes.
struct SweepPoint {
    float threshold = 0.0f;
    Counts segments, events, looseEvents; // micro
    double falseAlarmsPerHour = 0.0;
};
std::vector<SweepPoint> sweep(std::span<const Scored> recordings, int classes,
                              std::span<const float> thresholds, const DetectorSettings& settings);

// Chooses one threshold per class, from a grid from 0.05 to 0.95, that maximizes the loose event F1 of all
// events together. A class that is mostly wrong gets a high threshold, so that its mistakes do not fill the
// list. Thirty average events are added to each class, so that a few events of its own do not decide alone.
// If no event is found at any threshold, all have detection::defaultThreshold.
std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings);

// Chooses release and merge gap for all classes by the loose event F1 of all events together, each with the
// thresholds that are best with it. The steps of a fine clock flicker, so gaps up to 0.32 s may be joined;
// gaps shorter than a step do not exist.
std::pair<detection::AuthorRules, std::vector<float>> chooseRules(std::span<const Scored> recordings,
                                                                  int classes);

} // namespace earshot::evaluation
