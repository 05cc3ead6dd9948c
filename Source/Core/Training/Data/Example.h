// What the network is shown in training: one window of log-mel frames with what sounds in it, when.
// A plain value.
#pragma once

#include <cstdint>
#include <vector>

namespace earshot::training {

// SpecAugment (Park et al. 2019): a band of frames or of mel bands that is put out of the network's sight.
struct Stripe {
    bool inTime = true; // frames; else mel bands
    int first = 0;
    int count = 0;
};

struct Example {
    std::vector<float> logMel; // (windowFrames, melBands) dB, before band normalisation
    // Strong labels: (tokensPerWindow, classes), 0 to 1. Weak labels: (1, classes), of the whole window.
    std::vector<float> targets;
    bool weak = false;
    // (classes): 0 where it is not known whether a class sounds, else 1; empty: all known.
    std::vector<float> known;
    std::vector<Stripe> stripes;
};

// One value, the same on every machine, for a purpose at a place in the training: what makes runs repeatable
// and resumable without saving any generator's state. Seeds a std::mt19937_64 or is used as it is.
std::uint64_t seedFor(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index);

} // namespace earshot::training
