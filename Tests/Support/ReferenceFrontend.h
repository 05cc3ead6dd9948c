// A second log-mel frontend: plain loops in double precision, written from the formulas. Slow, and
// independent of the code that it checks.
#pragma once

#include "Core/Frontend/LogMelSettings.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::test {

// Reflect padding by walking: one step at a time, turning round at either end.
std::vector<float> referencePadded(std::span<const float> clip, int padding);

// (frames, fftSize / 2 + 1): |DFT|² of centred frames under a periodic Hann taper; a sum for each bin.
std::vector<double> referencePowerSpectrogram(std::span<const float> clip, int fftSize, int hopSize);

// (bins, melBands): triangles on the mel scale, scaled to 2 / width.
std::vector<double> referenceMelFilters(const frontend::LogMelSettings& settings);

// (frames, melBands) in dB.
std::vector<double> referenceLogMel(std::span<const float> clip, const frontend::LogMelSettings& settings);

// Noise whose level rises and falls by 60 dB; the same on every machine.
std::vector<float> testSignal(std::size_t samples, std::uint32_t seed = 1);

} // namespace earshot::test
