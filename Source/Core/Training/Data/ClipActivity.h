// Finds where a recording of one sound really sounds, from its energy envelope. That gives exact labels for
// clips that begin with a pause, end in hiss, or bark three times. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

struct Activity {
    std::int64_t first = 0; // sample
    std::int64_t last = 0;  // sample, one past the end
};

// Stretches in order, without overlap. In 10 ms frames: a frame sounds when it is less than 30 dB (short
// sounds) to 45 dB (steady ones) below the loudest 0.1 s, and exceeds a constant background, if there is one,
// by 8 dB (the background is the 10th percentile). Pauses under 150 ms are closed, and blips under 20 ms are
// dropped. The scale of the samples does not matter. If one of them is not zero, the result is not empty.
std::vector<Activity> activityOf(std::span<const std::int16_t> samples, int sampleRate);

// Sorted, with stretches joined that touch or are at most `gap` samples apart.
std::vector<Activity> merged(std::vector<Activity> stretches, std::int64_t gap);

} // namespace earshot::training
