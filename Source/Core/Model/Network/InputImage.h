// Turns log-mel frames into the network's image, as the reference does: batch normalisation per mel band,
// bicubic interpolation in time when there are fewer frames than a window has, and the fold of
// (windowFrames, melBands) into (imageSize, imageSize), with time segments stacked along frequency.
// Pure functions: any thread; they allocate nothing.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Network/NetworkWeights.h"

#include <cstdint>
#include <span>

namespace earshot::model {

// PyTorch's bicubic interpolation (a = -0.75, align_corners = true) along time only.
// input: (frames, bands), output: (outputFrames, bands); frames >= 1, outputFrames >= 1.
void stretchFrames(std::span<const float> input, std::span<float> output, int bands);

// values: (frames, bands), replaced by x * scale + shift per band.
void normaliseBands(std::span<float> values, const NetworkWeights& weights);

// frames: (windowFrames, melBands) -> image: (imageSize, imageSize);
// image[segment * melBands + band, t] = frames[segment * imageSize + t, band].
void foldFrames(std::span<const float> frames, std::span<float> image, const Config& config);

} // namespace earshot::model
