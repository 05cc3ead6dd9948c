// The polyphonic sound detection score: what share of each class is detected at every rate of false alarms,
// whatever the threshold. Bilen, Ferroni, Tuveri, Azcarreta and Krstulovic, "A Framework for the Robust
// Evaluation of Sound Event Detection", ICASSP 2020; scenarios 1 and 2 are those of DCASE 2021 Task 4.
// One thread at a time per object.
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

// Gathers operating points. Only the classes that are annotated count (as in the evaluation sets that the
// score is known from, where all are); recordings that are not strongly labelled count for nothing.
class Psds {
  public:
    // recordings: of all operating points; must outlive this.
    Psds(std::span<const Scored> recordings, int classes, const PsdsSettings& settings);

    // detections: one list per recording.
    void addOperatingPoint(std::span<const std::vector<Annotation>> detections);
    // 0 to 1; 0 when nothing is annotated.
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
    std::vector<std::size_t> classOf_;                         // by label: index among the annotated ones
    std::size_t classes_ = 0;                                  // annotated ones
    std::vector<std::vector<std::vector<Annotation>>> truths_; // (recordings, classes): joined, by onset
    std::vector<char> strong_;                                 // by recording
    std::vector<double> annotatedSeconds_;                     // by class
    std::vector<std::size_t> annotated_;                       // by class: events
    double seconds_ = 0.0;
    std::vector<std::vector<Point>> points_; // by class
};

// detectionsAt[t]: per recording, for threshold t of a sweep (some 50 thresholds).
double psds(std::span<const Scored> recordings, int classes,
            std::span<const std::vector<std::vector<Annotation>>> detectionsAt, const PsdsSettings& settings);

} // namespace earshot::evaluation
