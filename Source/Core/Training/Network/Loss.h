// Binary cross-entropy between logits and targets: for each token with strong labels, for each window
// (linear-softmax pooling over tokens; Wang et al. 2019) with weak ones. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/Example.h"

#include <span>

namespace earshot::training {

struct LossSettings {
    float labelSmoothing = 0.0f; // targets t become t * (1 - s) + s / 2
    float positiveWeight = 1.0f; // of tokens in which the class sounds
    // Of the last tokens of a window, with strong labels. A live stream hears them first, without what
    // follows them.
    float newestWeight = 1.0f;
    static constexpr double newestShare = 0.09375; // of the window: 0.96 of 10.24 s
};

// logits: (tokens, classes) of one window. Sets `gradient` (as logits) to the loss's derivative times `scale`
// and returns the loss: the weighted mean over tokens and known classes.
double lossAndGradient(std::span<const float> logits, const Example& example, int classes,
                       const LossSettings& settings, float scale, std::span<float> gradient);

} // namespace earshot::training
