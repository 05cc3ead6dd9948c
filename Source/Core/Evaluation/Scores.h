// How well detections agree with annotations. The functions that compute the scores cite their definitions:
// segment-based and event-based F1 (Mesaros, Heittola and Virtanen, "Metrics for polyphonic sound event
// detection", 2016; as sed_eval computes them), intersection-based PSDS (Bilen et al., "A framework for the
// robust evaluation of sound event detection", 2020; scenarios 1 and 2 of DCASE Task 4; at every threshold,
// as sed_scores_eval computes it), mean average precision. Pure functions: any thread.
#pragma once

#include "Core/Detection/Events/Labels.h"
#include "Core/Evaluation/ClipScores.h"
#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Psds.h"
#include "Core/Evaluation/Recording.h"
#include "Core/Evaluation/RecordingDetector.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace earshot::evaluation {

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
    Errors segmentErrors, eventErrors, looseEventErrors;
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
inline constexpr std::size_t minSources = 4;
// sources: for each class, how many the scored recordings come from. Classes with none are in neither part.
PartsBySources partsBySources(const Scores& scores, std::span<const std::size_t> sources);

struct EvaluationSettings {
    DetectorSettings detector;
    bool psds = true; // otherwise both are 0
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
// list. Average events are added to each class (30 for up to 1,200 recordings, in proportion for more), so
// that a few events of its own do not decide alone. If no event is found at any threshold, all have
// detection::defaultThreshold.
std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings);

// Chooses release and merge gap for all classes by the loose event F1 of all events together, each with the
// thresholds that are best with it. The steps of a fine clock flicker, so gaps up to 0.32 s may be joined;
// gaps shorter than a step do not exist.
std::pair<detection::AuthorRules, std::vector<float>> chooseRules(std::span<const Scored> recordings,
                                                                  int classes);

} // namespace earshot::evaluation
