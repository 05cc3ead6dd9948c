// Where a recording of one sound really sounds, by its energy envelope: what makes exact labels of clips that
// begin with a pause, end in hiss, or bark three times. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

struct Activity {
    std::int64_t first = 0; // sample
    std::int64_t last = 0;  // sample, one past the end
};

// Stretches, in order and apart. In 10 ms frames: a frame sounds when it is less than 30 dB (short sounds)
// to 45 dB (steady ones) below the loudest 0.1 s, and stands out of a constant background (8 dB above the
// 10th percentile) where there is one. Pauses under 150 ms are closed, quiet blips under 20 ms dropped.
// Samples at any scale (relative levels count), at least one not zero; never empty for those.
std::vector<Activity> activityOf(std::span<const std::int16_t> samples, int sampleRate);

// Sorted, with stretches that touch or are at most `gap` samples apart made one.
std::vector<Activity> merged(std::vector<Activity> stretches, std::int64_t gap);

} // namespace earshot::training
