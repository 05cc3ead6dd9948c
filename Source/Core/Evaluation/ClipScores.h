// Scores over whole clips, for which it is enough to know what is in them, not when. Pure functions: any
// thread.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace earshot::evaluation {

// Of a class over recordings (label in `labels`), ranked by the largest probability of its columns: the mean
// of the precision at each recording that holds it; equal probabilities rank together. Empty where no
// recording holds it. (Everingham et al., "The Pascal Visual Object Classes Challenge", 2010, without
// interpolation, as scikit-learn's average_precision_score.)
std::optional<double> averagePrecision(std::span<const Scored> recordings, int label, int classes);

// What stands for a class in a clip.
enum class ClipScore { peak, mean }; // the largest, or the mean, probability of its columns
std::vector<float> clipScores(const Scored& recording, int classes, ClipScore score); // (classes)

// Clips that hold exactly one class: is the highest of the classes that occur in any clip the right one.
struct ClipAccuracy {
    std::int64_t clips = 0;
    std::int64_t right = 0;
    std::vector<std::vector<std::int64_t>> confusion; // (classes, classes): true by heard

    double accuracy() const {
        return clips > 0 ? static_cast<double>(right) / static_cast<double>(clips) : 0.0;
    }
};
ClipAccuracy clipAccuracy(std::span<const Scored> recordings, int classes, ClipScore score);

} // namespace earshot::evaluation
