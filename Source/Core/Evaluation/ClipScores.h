// Scores over whole clips: they measure which classes a clip holds, not when. Pure functions: any thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace earshot::evaluation {

// Computes the average precision of one class over recordings (it is present if `labels` holds it).
// Recordings are ranked by the largest probability of their columns; the result is the mean of the precision
// at each recording that holds the class. Equal probabilities share a rank. Empty if no recording holds the
// class. others: more recordings to rank. (Everingham et al., "The Pascal Visual Object Classes Challenge",
// 2010, without interpolation, like scikit-learn's average_precision_score.)
std::optional<double> averagePrecision(std::span<const Scored> recordings, int label, int classes,
                                       std::span<const Scored> others = {});

// How the probabilities of a class in a clip become one score.
enum class ClipScore { peak, mean }; // the largest, or the mean, probability of its columns
std::vector<float> clipScores(const Scored& recording, int classes, ClipScore score); // (classes)

// Returns for each recording that is a clip of one class the class that has the highest score in it, among
// those that occur in any clip; -1 for other recordings.
std::vector<int> clipAnswers(std::span<const Scored> recordings, int classes, ClipScore score);

// How many of the clips have their class as the answer.
struct ClipAccuracy {
    std::int64_t clips = 0;
    std::int64_t right = 0;
    std::vector<std::vector<std::int64_t>> confusion; // (classes, classes): true class by detected class

    double accuracy() const {
        return clips > 0 ? static_cast<double>(right) / static_cast<double>(clips) : 0.0;
    }
};
ClipAccuracy clipAccuracy(std::span<const Scored> recordings, int classes, ClipScore score);

} // namespace earshot::evaluation
