// The clip modes of the reference implementation, exactly as published: for parity, and for clips. The
// timeline does not use them (see Detection/Windows/Windowing.h): *crop* averages crops that start at
// different times without aligning them, so its framewise output has no valid times.
// One thread at a time for each Network.
#pragma once

#include "Core/Model/Network/Network.h"

#include <span>
#include <string_view>
#include <vector>

namespace earshot::model {

enum class ReferenceMode {
    fit,    // up to 1024 frames, stretched to 1024
    infer,  // frames repeated floor(1024 / T) times, then stretched
    repeat, // stretched to 1024; 256-frame views at 0, 256, 512, 768 tiled four times; averaged
    crop,   // above 1024 frames: crops of half the length every quarter, stretched, averaged; else as fit
};

// "fit", "infer", "repeat", "crop"; throws earshot::Error on anything else.
ReferenceMode referenceMode(std::string_view name);

struct ForwardOutput {
    std::vector<float> framewise; // (windowFrames, classes): each token's value repeated framesPerToken times
    std::vector<float> clipwise;  // (classes)
    std::vector<float> latent;    // (latentDim); averaged over the views where a mode runs several
    std::vector<float> embedding; // the latent vector's projection by a CLAP model; else empty
};

// logMel: (frames, melBands) in dB. Throws earshot::Error when the clip is too long for the mode, and as
// Network::run().
ForwardOutput forward(Network& network, std::span<const float> logMel, ReferenceMode mode);

} // namespace earshot::model
