// Computes the polyphonic sound detection score (PSDS): the share of events that is detected, averaged over
// all rates of false alarms, so that no threshold must be chosen. Bilen, Ferroni, Tuveri, Azcarreta and
// Krstulovic, "A Framework for the Robust Evaluation of Sound Event Detection", ICASSP 2020; scenarios 1 and
// 2 are those of DCASE 2021 Task 4. One thread at a time per object.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <span>
#include <vector>

namespace earshot::evaluation {

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

// Gathers operating points and computes their score. Classes without annotations are ignored (DCASE's sets
// have none), and so are recordings that are not strongly labelled.
class Psds {
  public:
    // recordings: the same for all operating points.
    Psds(std::span<const Scored> recordings, int classes, const PsdsSettings& settings);

    // Adds the detections at one threshold. detections: one list per recording.
    void addOperatingPoint(std::span<const std::vector<Annotation>> detections);
    // Returns 0 to 1; 0 when nothing is annotated.
    double score() const;

  private:
    struct Point {
        double falsePositiveRate = 0.0; // effective, per hour
        double truePositiveRatio = 0.0;
    };
    struct PointCounts;

    void count(const std::vector<std::vector<Annotation>>& truths,
               const std::vector<std::vector<Annotation>>& found, PointCounts& counts) const;

    PsdsSettings settings_;
    std::vector<std::size_t> classOf_;                         // by label: index among annotated classes
    std::size_t classes_ = 0;                                  // annotated classes
    std::vector<std::vector<std::vector<Annotation>>> truths_; // (recordings, classes): joined, by onset
    std::vector<char> strong_;                                 // by recording
    std::vector<double> annotatedSeconds_;                     // by class
    std::vector<std::size_t> annotated_;                       // by class: annotated events
    double seconds_ = 0.0;                                     // of strongly labelled audio
    std::vector<std::vector<Point>> points_;                   // by class
};

// Computes the score of a sweep. detectionsAt[t]: one list per recording, at threshold t (about 50
// thresholds).
double psds(std::span<const Scored> recordings, int classes,
            std::span<const std::vector<std::vector<Annotation>>> detectionsAt, const PsdsSettings& settings);

} // namespace earshot::evaluation
