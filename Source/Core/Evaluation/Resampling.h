// How sure scores are: intervals by the bootstrap over recordings, and whether two models differ on the same
// recordings. Pure functions: any thread.
#pragma once

#include "Core/Evaluation/ModelOutput.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace earshot::evaluation {

// The scores of Scores.h that are one number. NaN: nothing is annotated that it could be of.
enum class MainScore {
    events200,
    events500,
    segments,
    eventMacro200,
    eventMacro500,
    segmentMacro,
    psds1,
    psds2,
    meanAveragePrecision,
    falseAlarmsPerHour,
    eventErrors200,
    eventErrors500,
    segmentErrors,
    clipAccuracyByPeak,
    clipAccuracyByMean,
};
inline constexpr std::size_t mainScoreCount = 15;
using MainScores = std::array<double, mainScoreCount>;

// Prepares the scores of any draw of recordings: the models' detections are made once.
class DrawnScores {
  public:
    // outputs: of one or more models whose scored classes correspond. They outlive this.
    explicit DrawnScores(std::span<const ModelOutput> outputs);
    ~DrawnScores();
    DrawnScores(const DrawnScores&) = delete;
    DrawnScores& operator=(const DrawnScores&) = delete;

    // Returns the scores of each draw, in which the recordings of all models are one set. Empty if goesOn
    // returns false.
    std::vector<MainScores> of(std::span<const Draw> draws, const std::function<bool()>& goesOn = {}) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct Interval {
    double low = std::numeric_limits<double>::quiet_NaN();
    double high = std::numeric_limits<double>::quiet_NaN();
};
inline constexpr double intervalLevel = 0.95;

// Returns the middle 95 % of the values that are not NaN, as numpy.percentile interpolates; NaN without any.
Interval middleOf(std::vector<double> values);

struct ResamplingSettings {
    std::size_t draws = 1000;
    std::uint64_t seed = 1;
    // Called now and then with what is done, of 1. If it returns false, there is no result.
    std::function<bool(double)> progress = {};
};

struct Resampled {
    MainScores scores{};
    std::array<Interval, mainScoreCount> intervals{};
};

// The percentile bootstrap (Efron 1979): draws as many recordings as there are, with replacement, and scores
// each draw. Nothing if it was stopped.
std::optional<Resampled> bootstrap(const ModelOutput& output, const ResamplingSettings& settings);

struct Difference {
    double value = 0.0; // the second model's score less the first's
    Interval interval;  // paired: each draw has the same recordings for both
    // The share of random exchanges of the models' results, recording by recording, that make them differ at
    // least as much (approximate randomization, two-sided; Noreen 1989). NaN for scores that are NaN.
    double pValue = 1.0;

    bool differ() const { return pValue < 1.0 - intervalLevel; }
};

struct ModelComparison {
    std::array<Resampled, 2> models;
    std::array<Difference, mainScoreCount> differences;
};

// first, second: of the same recordings, in the same order. Nothing if it was stopped.
std::unique_ptr<ModelComparison> compareModels(const ModelOutput& first, const ModelOutput& second,
                                               const ResamplingSettings& settings);

} // namespace earshot::evaluation
