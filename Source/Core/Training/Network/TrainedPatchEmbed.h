// The network's input layers with their backward pass, for several windows at a time: band norm,
// SpecAugment's stripes, fold and patches (Core/Model's InputImage and PatchEmbed as one index map),
// projection, norm, positions. One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/TrainedLinear.h"

#include <span>

namespace earshot::training {

template <typename Value>
class TrainedPatchEmbed {
  public:
    TrainedPatchEmbed(const ParameterLayout& parameters, int samples);

    void setParameters(const ParameterValues<Value>& values) { values_ = values; }
    // logMel: (samples, windowFrames, melBands) dB; stripes: one list for each sample, or none; output:
    // (samples * grid^2, embedDim)
    void forward(std::span<const float> logMel, std::span<const std::vector<Stripe>> stripes,
                 const BandStatistics& statistics, float* output);
    // outputGradient: as output, may be overwritten.
    void backward(float* outputGradient, std::span<float> gradients);

  private:
    void normaliseBands(std::span<const float> logMel, const BandStatistics& statistics);
    void mask(std::span<const std::vector<Stripe>> stripes);
    void backwardBands(std::span<float> gradients);

    const model::Config& config_;
    const int samples_;
    const std::int64_t tokens_; // of all samples
    const int patchPixels_;
    const Parameter& bandGain_;
    const Parameter& bandShift_;
    const Parameter& projection_;
    const Parameter& projectionBias_;
    const Parameter* gain_ = nullptr; // null without patch norm
    const Parameter* shift_ = nullptr;
    const Parameter* positions_ = nullptr; // null without absolute positions
    ParameterValues<Value> values_;
    TrainedLinear<Value> layer_;
    std::vector<std::int32_t>
        pixels_; // (grid^2, patchPixels): where a sample's (frames, bands) each is, or -1

    std::vector<float> normalised_;        // (samples, frames, bands): (x - mean) / deviation, 0 in stripes
    std::vector<float> shown_;             // likewise: with gain and shift, later its gradient
    std::vector<std::uint8_t> hidden_;     // likewise: 1 in stripes
    tensor::AlignedVector<Value> patches_; // (tokens, patchPixels)
    tensor::AlignedVector<Value> patchGradient_;
    tensor::AlignedVector<float> projected_; // (tokens, embedDim), before the norm
    tensor::AlignedVector<float> projectedGradient_;
    tensor::AlignedVector<Value> roundedGradient_;
    tensor::AlignedVector<float> statistics_; // (tokens, 2)
};

} // namespace earshot::training
