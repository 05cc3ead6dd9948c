// A recording, its annotations, and a model's probabilities: the input of every score.
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

// One recording, its annotations, and a model's probabilities.
struct Scored {
    double duration = 0.0;               // seconds
    std::vector<Annotation> annotations; // strong labels, by onset
    // the same before pauses were joined (joinPauses): PSDS knows no merge gap
    std::vector<Annotation> unjoined;
    // false: only `labels` is known, which is enough for average precision alone
    bool strong = true;
    // a clip of one sound, as libraries of sounds have them: it counts in clip accuracy
    bool clip = false;
    // the classes that it holds, ascending (derived from annotations if strong)
    std::vector<int> labels;
    double columnSeconds = 0.32;      // the length of one row of probabilities
    std::vector<float> probabilities; // (columns, classes)

    std::size_t columns(int classes) const {
        return probabilities.size() / static_cast<std::size_t>(classes);
    }
};

using detection::secondsTolerance;

// Joins sounds of a class that overlap or touch, because a detector without identities cannot separate them,
// and those less than `gap` seconds apart, as detections with that merge gap. Sorts by onset, then label.
// Keeps annotations of length 0.
std::vector<Annotation> joinOverlaps(std::vector<Annotation> annotations, double gap = 0.0);

// Makes it a strongly labelled recording of these sounds (joined by joinOverlaps()) and derives its labels.
void annotate(Scored& recording, std::vector<Annotation> annotations);
// Joins its annotated sounds across pauses below `gap` seconds, as detections with that merge gap.
void joinPauses(Scored& recording, double gap);

// Returns the annotations of one class, by onset.
std::vector<Annotation> ofClass(std::span<const Annotation> annotations, int label);

struct Counts {
    std::int64_t truePositives = 0;
    std::int64_t falsePositives = 0;
    std::int64_t falseNegatives = 0;

    double precision() const; // 0 if nothing was detected
    double recall() const;
    double f1() const; // 0 if there are neither annotations nor detections
    std::int64_t annotated() const { return truePositives + falseNegatives; }
    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
};

Counts total(std::span<const Counts> perClass); // micro

// What is wrong, whatever the class: a missed sound and a false one at once are one substitution.
struct Errors {
    std::int64_t substitutions = 0, deletions = 0, insertions = 0;
    std::int64_t annotated = 0;

    double rate() const; // errors by what is annotated; NaN if nothing is
    Errors& operator+=(const Errors& other);
    bool operator==(const Errors&) const = default;
};
// Over the classes that are annotated, as sed_eval and DCASE have it; 0 if none is.
double macroF1(std::span<const Counts> perClass);

} // namespace earshot::evaluation
