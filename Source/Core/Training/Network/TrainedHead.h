// The TSCAM head with its backward pass, for several windows at a time: the same sums as Core/Model's
// EventHead. One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/TrainedLinear.h"
#include "Core/Training/Network/TrainingNetwork.h"

#include <memory>
#include <span>

namespace earshot::training {

template <typename Value>
class TrainedHead {
  public:
    TrainedHead(const ParameterLayout& parameters, int samples);

    void setParameters(const ParameterValues<Value>& values);
    // features: (samples, lastGrid^2, latentDim); logits: (samples, tokensPerWindow, classes)
    void forward(const float* features, float* logits);
    // featureGradient: as features, set, or null.
    void backward(const float* logitGradients, float* featureGradient, std::span<float> gradients);

  private:
    // The checkpoint's place of value (position, channel) of a class's kernel; here channels are together.
    std::size_t stored(int classIndex, int position, int channel) const;

    const model::Config& config_;
    const int positions_;     // frequency rows x taps
    const std::int64_t rows_; // samples * tokensPerWindow
    const Parameter& kernel_;
    const Parameter& bias_;
    ParameterValues<Value> values_;
    TrainedLinear<Value> layer_;
    std::vector<std::int32_t> sources_; // (rows, positions): the feature row each is, or -1 past the ends

    tensor::AlignedVector<Value> arranged_; // (classes, positions, channels)
    tensor::AlignedVector<float> arrangedGradient_;
    tensor::AlignedVector<Value> inputs_; // (rows, positions, channels)
    tensor::AlignedVector<Value> inputGradient_;
    tensor::AlignedVector<Value> logitGradient_; // (rows, classes)
};

// The TSCAM head alone, on encoder features that are kept: what `--freeze encoder` trains. The same products,
// parameters ("tscam_conv.*") and results as the head of TrainingNetwork. One thread at a time.
class Head {
  public:
    Head(const ParameterLayout& layout, int samples, Arithmetic arithmetic);
    ~Head();

    void setParameters(std::span<const float> values);
    // features: (samples, lastGrid^2, latentDim) -> logits (samples, tokensPerWindow, classes)
    std::span<const float> forward(std::span<const float> features);
    // Adds the head's gradients; featureGradients (as features) is set unless empty.
    void backward(std::span<const float> logitGradients, std::span<float> gradients,
                  std::span<float> featureGradients = {});

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::training
