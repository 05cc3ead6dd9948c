// A recording, its true sounds, and a model's probabilities: the input of every score. Plain values.
#pragma once

#include "Core/Detection/Events/Events.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::evaluation {

struct Annotation {
    double onset = 0.0;  // seconds
    double offset = 0.0; // seconds
    int label = 0;

    bool operator==(const Annotation&) const = default;
};

// One recording with its annotations and probabilities.
struct Scored {
    double duration = 0.0;               // seconds
    std::vector<Annotation> annotations; // strong labels, by onset
    bool strong = true;                  // false: only `labels` are known, for average precision alone
    std::vector<int> labels;             // the classes in it, ascending (derived from annotations if strong)
    double columnSeconds = 0.32;         // duration of one row of probabilities
    std::vector<float> probabilities;    // (columns, classes)

    std::size_t columns(int classes) const {
        return probabilities.size() / static_cast<std::size_t>(classes);
    }
};

using detection::secondsTolerance;

// Joins sounds of a class that overlap or touch, because a detector without identities can only detect them
// as one, and sounds less than `gap` seconds apart, as detections with such a gap are joined. By onset, then
// label. Annotations without length stay.
std::vector<Annotation> joinOverlaps(std::vector<Annotation> annotations, double gap = 0.0);

// Makes it a strongly labelled recording of these sounds (joined as above) and sets the labels.
void annotate(Scored& recording, std::vector<Annotation> annotations);

// The annotations of one class, by onset.
std::vector<Annotation> ofClass(std::span<const Annotation> annotations, int label);

struct Counts {
    std::int64_t truePositives = 0;
    std::int64_t falsePositives = 0;
    std::int64_t falseNegatives = 0;

    double precision() const; // 0 if nothing was detected
    double recall() const;
    double f1() const; // 0 if nothing was annotated or detected
    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
};

Counts total(std::span<const Counts> perClass);   // micro
double macroF1(std::span<const Counts> perClass); // over classes that occur in annotations or detections

} // namespace earshot::evaluation
