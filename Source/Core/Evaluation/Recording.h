// A recording, what is truly in it, and what a model says of it: what every score is computed from.
// Plain values.
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

// One recording, what is truly in it, and what a model says of it.
struct Scored {
    double duration = 0.0;               // seconds
    std::vector<Annotation> annotations; // strong labels, by onset
    bool strong = true;                  // else only `labels` is known: for average precision alone
    std::vector<int> labels;             // classes in it, ascending (derived from annotations when strong)
    double columnSeconds = 0.32;         // of one row of probabilities
    std::vector<float> probabilities;    // (columns, classes)

    std::size_t columns(int classes) const {
        return probabilities.size() / static_cast<std::size_t>(classes);
    }
};

using detection::secondsTolerance;

// Sounds of a class that overlap or touch become one, as a detector without identities can only hear them,
// and those less than `gap` seconds apart, as detections with such a gap; by onset, then label. Annotations
// without length stay.
std::vector<Annotation> joinOverlaps(std::vector<Annotation> annotations, double gap = 0.0);

// Makes it a strongly labelled recording of these sounds (joined as above), with the labels that follow.
void annotate(Scored& recording, std::vector<Annotation> annotations);

// Those of one class, by onset.
std::vector<Annotation> ofClass(std::span<const Annotation> annotations, int label);

struct Counts {
    std::int64_t truePositives = 0;
    std::int64_t falsePositives = 0;
    std::int64_t falseNegatives = 0;

    double precision() const; // 0 where nothing was detected
    double recall() const;
    double f1() const; // 0 where there is nothing at all
    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
};

Counts total(std::span<const Counts> perClass);   // micro
double macroF1(std::span<const Counts> perClass); // over classes that occur in annotations or detections

} // namespace earshot::evaluation
