// Mixup (Zhang et al. 2018) within a batch: an example becomes a weighted sum of itself and another, spectrum
// (in decibels) and targets alike. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/Example.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

struct Mix {
    std::size_t other = 0; // example of the batch; itself when not mixed
    float share = 0.0f;    // of the other, at most a half
};

// For each example, given the batch's own seed. share: of examples that are mixed; alpha: of the Beta
// distribution, above 0, at most 2.
std::vector<Mix> chooseMixes(std::size_t batch, float share, float alpha, std::uint64_t seed);

// Strong labels mix with strong ones only, and only where the same classes are known.
bool canMix(const Example& a, const Example& b);

// Writes a's spectrum, mixed with b's, to `logMel`, and the labels to `labels` (its logMel stays empty).
void mix(const Example& a, const Example& b, float share, std::span<float> logMel, Example& labels);

} // namespace earshot::training
