// Follows the detections of one class in one recording while the threshold falls from above its highest score
// to its lowest, and tells how the counts of PSDS change on the way: the exact computation of Ebbers, Serizel
// and Haeb-Umbach, "Threshold-Independent Evaluation of Sound Event Detection Scores", ICASSP 2022. Each
// column joins at most two runs, so that all thresholds cost little more than a sort. Pure functions: any
// thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstddef>
#include <cstdint>
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
// Scenarios 1 and 2 of DCASE 2021 Task 4.
inline constexpr PsdsSettings psds1{0.7, 0.7, 0.3, 0.0, 1.0};
inline constexpr PsdsSettings psds2{0.1, 0.1, 0.3, 0.5, 1.0};

// The annotated sounds of one class in a recording; they do not overlap.
class SoundSpans {
  public:
    void add(double onset, double offset); // by onset

    std::size_t count() const { return onsets_.size(); }
    double length(std::size_t i) const { return offsets_[i] - onsets_[i]; } // seconds
    double seconds() const { return before_.back(); }                       // of all
    double covered(double onset, double offset) const { return secondsUntil(offset) - secondsUntil(onset); }
    double covered(std::size_t i, double onset, double offset) const;
    std::size_t firstAfter(double onset) const; // the first that ends later

  private:
    double secondsUntil(double time) const;

    std::vector<double> onsets_, offsets_;
    std::vector<double> before_{0.0}; // seconds of the sounds before each; then of all
};

struct ClassSounds {
    std::size_t label = 0; // among the annotated classes
    SoundSpans spans;
};

// A column, or a box, that is detected by thresholds up to its score.
struct Detectable {
    float score = 0.0f;
    double onset = 0.0;     // seconds
    double offset = 0.0;    // seconds
    std::int64_t place = 0; // neighbours differ by 1, and are one detection while both are detected
};

// What changes when the threshold falls to `score`.
struct PsdsChange {
    static constexpr std::int32_t hits = -2; // annotated sounds that are found
    static constexpr std::int32_t falsePositives = -1;

    float score = 0.0f;
    std::uint32_t recording = 0;
    std::int32_t what = hits; // hits, falsePositives, or the class that cross-triggers are of
    std::int32_t by = 0;
};

// Appends the changes of class `own`. detectables: by time. truths: of the classes that sound there. A
// detection is a false positive if annotations of its class cover less of it than the detection tolerance. It
// is also a cross-trigger for every other class whose annotations cover it by the cross-trigger tolerance.
// The remaining detections cover annotations: one is found if they cover it by the ground truth tolerance.
// Shares are compared in whole microseconds, as sed_scores_eval does.
void appendPsdsChanges(std::vector<PsdsChange>& changes, std::span<const Detectable> detectables,
                       std::span<const ClassSounds> truths, std::size_t own, std::uint32_t recording,
                       const PsdsSettings& settings);

} // namespace earshot::evaluation
