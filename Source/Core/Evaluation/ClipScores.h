// Scores over whole clips: they ask what is in a clip, not when. Pure functions: any thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace earshot::evaluation {

// Average precision of a class over recordings (label in `labels`), ranked by the largest probability of its
// columns: the mean of the precision at each recording that holds it. Equal probabilities rank together.
// Empty if no recording holds the class. (Everingham et al., "The Pascal Visual Object Classes Challenge",
// 2010, without interpolation, as scikit-learn's average_precision_score.)
std::optional<double> averagePrecision(std::span<const Scored> recordings, int label, int classes);

// The score of a class in a clip.
enum class ClipScore { peak, mean }; // the largest, or the mean, probability of its columns
std::vector<float> clipScores(const Scored& recording, int classes, ClipScore score); // (classes)

// Over clips that hold exactly one class: how often the highest score, among classes that occur in any clip,
// is that of the right class.
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
