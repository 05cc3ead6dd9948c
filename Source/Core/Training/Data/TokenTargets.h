// What sounds when, as the network is asked for it: one value per token and class. Pure functions: any
// thread.
#pragma once

#include "Core/Training/Data/ClipActivity.h"
#include "Core/Training/Data/DataSet.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

struct Sounding {
    Activity span; // samples of the window or scene
    int label = 0;
};

struct TokenGrid {
    int tokens = 32;
    std::int64_t tokenSamples = 10240;
    int sampleRate = 32000; // Hz
};

// Sets targets, (tokens, classes), to 1 where a stretch of the class lies in the token for at least 80 ms or
// half of the stretch, whichever is less, else to 0. Parts of stretches outside the window do not count.
void setTokenTargets(std::span<const Sounding> soundings, const TokenGrid& grid, int classes,
                     std::vector<float>& targets);

// By onset; stretches of a class that are less than gapSeconds apart are one.
std::vector<LabelledSpan> annotationsOf(std::span<const Sounding> soundings, int sampleRate,
                                        double gapSeconds);

} // namespace earshot::training
