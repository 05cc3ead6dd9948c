// How well detections agree with annotations. Definitions, each cited where it is computed:
// segment-based and event-based F1 (Mesaros, Heittola and Virtanen, "Metrics for polyphonic sound event
// detection", 2016; as sed_eval computes them), intersection-based PSDS (Bilen et al., "A framework for the
// robust evaluation of sound event detection", 2020; scenarios 1 and 2 of DCASE Task 4), mean average
// precision. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::evaluation {

struct Annotation {
    double onset = 0.0;  // seconds
    double offset = 0.0; // seconds
    int label = 0;
};

// One recording, what is truly in it, and what a model says of it.
struct Scored {
    double duration = 0.0;               // seconds
    std::vector<Annotation> annotations; // strong labels, by onset
    bool strong = true;                  // else only `labels` is known: for average precision alone
    std::vector<int> labels;             // classes in it, ascending (derived from annotations when strong)
    double columnSeconds = 0.32;         // of one row of probabilities
    std::vector<float> probabilities;    // (columns, classes)
};

struct Counts {
    std::int64_t truePositives = 0;
    std::int64_t falsePositives = 0;
    std::int64_t falseNegatives = 0;
    double precision() const; // 0 where nothing was detected
    double recall() const;
    double f1() const; // 0 where there is nothing at all
};

// How detections are made of probabilities: what the product does with its rules.
using Detector =
    std::function<std::vector<Annotation>(const Scored& recording, std::span<const float> thresholds)>;
// The product's own (Detection/Events): hysteresis with release `release` * threshold, median, minimum
// duration, gap; thresholds per class.
struct DetectorSettings {
    float release = 0.5f;
    int median = 1;
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds
};
std::vector<Annotation> detect(const Scored& recording, int classes, std::span<const float> thresholds,
                               const DetectorSettings& settings);

std::vector<Counts> segmentCounts(std::span<const Scored> recordings, int classes,
                                  std::span<const std::vector<Annotation>> detections,
                                  double segmentSeconds = 1.0);
struct Collar {
    double onset = 0.2;       // seconds
    double offset = 0.2;      // seconds,
    double offsetShare = 0.2; // or this share of the event's length, whichever is more
    bool checkOffset = true;
};
std::vector<Counts> eventCounts(std::span<const Scored> recordings, int classes,
                                std::span<const std::vector<Annotation>> detections,
                                const Collar& collar = {});
Counts total(std::span<const Counts> perClass);   // micro
double macroF1(std::span<const Counts> perClass); // over classes that occur in annotations or detections

struct PsdsSettings {
    double detectionTolerance;           // DTC
    double groundTruthTolerance;         // GTC
    double crossTriggerTolerance;        // CTTC
    double crossTriggerCost;             // alpha_CT
    double variabilityCost;              // alpha_ST
    double maxFalsePositiveRate = 100.0; // per hour
};
inline constexpr PsdsSettings psds1{0.7, 0.7, 0.3, 0.0, 1.0};
inline constexpr PsdsSettings psds2{0.1, 0.1, 0.3, 0.5, 1.0};
// detectionsAt[t]: per recording, for threshold t of a sweep (some 50 thresholds).
double psds(std::span<const Scored> recordings, int classes,
            std::span<const std::vector<std::vector<Annotation>>> detectionsAt, const PsdsSettings& settings);

// Of a class over recordings (label in `labels`), ranked by the largest probability of its columns.
std::optional<double> averagePrecision(std::span<const Scored> recordings, int label, int classes);

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
    double meanAveragePrecision = 0.0;
    double falseAlarmsPerHour = 0.0; // detections that touch no annotation of their class, per hour of audio
    double seconds = 0.0;
    std::vector<std::vector<std::int64_t>>
        confusion; // (classes + 1, classes + 1): annotated by detected seconds-segments; last: nothing
};

struct EvaluationSettings {
    DetectorSettings detector;
    int sweep = 50; // thresholds of the PSDS curves
};
// thresholds: one per class.
Scores evaluate(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                const EvaluationSettings& settings);

// Per class the threshold (of a grid from 0.05 to 0.95) with the best loose event F1, drawn towards
// the best common one where a class has few events: weight n / (n + 10).
std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings);

} // namespace earshot::evaluation
