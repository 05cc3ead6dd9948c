// Fits the row of a head's last layer for one new class, from steps whose inputs were heard. The rest of the
// network stays as it is. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::teaching {

// Steps to learn from.
struct RowSteps {
    std::int64_t width = 0;         // inputs of the head's last layer
    std::span<const float> inputs;  // (steps, width)
    std::span<const float> sounds;  // (steps): 1 where the class sounds, else 0
    std::span<const float> weights; // (steps): 0 leaves a step out
};

// The probability of the class at a step is sigmoid(weights . inputs + bias).
struct ClassRow {
    std::vector<float> weights; // (width)
    float bias = 0.0f;

    float logit(std::span<const float> inputs) const;
    bool operator==(const ClassRow&) const = default;
};

// The class sounds where inputs point in the direction of the mean of its steps, seen from the mean of all
// others (Snell, Swersky and Zemel, "Prototypical Networks for Few-shot Learning", 2017). Needs a step that
// sounds and one that does not.
ClassRow prototypeRow(const RowSteps& steps);

// Logistic regression with the ridge penalty `decay`. Steps that sound count together a fourth of all.
ClassRow trainedRow(const RowSteps& steps, double decay);

// Moves the bias so that probability `threshold` separates the steps that sound from the others. It lies
// between what nearly all others stay below and what most that sound reach.
void placeThreshold(ClassRow& row, const RowSteps& steps, float threshold);

} // namespace earshot::teaching
