// The TSCAM head with its backward pass, for several windows at a time. It computes the same sums as
// EventHead in Core/Model. One thread at a time.
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
    // The place in the checkpoint of value (position, channel) of a class's kernel. Here the channels are
    // consecutive.
    std::size_t stored(int classIndex, int position, int channel) const;

    const model::Config& config_;
    const int positions_;     // frequency rows x taps
    const std::int64_t rows_; // samples * tokensPerWindow
    const Parameter& kernel_;
    const Parameter& bias_;
    ParameterValues<Value> values_;
    TrainedLinear<Value> layer_;
    std::vector<std::int32_t> sources_; // (rows, positions): the feature row of each, or -1 past the ends

    tensor::AlignedVector<Value> arranged_; // (classes, positions, channels)
    tensor::AlignedVector<float> arrangedGradient_;
    tensor::AlignedVector<Value> inputs_; // (rows, positions, channels)
    tensor::AlignedVector<Value> inputGradient_;
    tensor::AlignedVector<Value> logitGradient_; // (rows, classes)
};

// The TSCAM head alone, on stored encoder features: `--freeze encoder` trains it. It has the products,
// parameters ("tscam_conv.*") and results of TrainingNetwork's head. One thread at a time.
class Head {
  public:
    Head(const ParameterLayout& layout, int samples, Arithmetic arithmetic);
    ~Head();

    void setParameters(std::span<const float> values);
    // features: (samples, lastGrid^2, latentDim) -> logits (samples, tokensPerWindow, classes)
    std::span<const float> forward(std::span<const float> features);
    // Adds the head's gradients, and sets featureGradients (as features) unless it is empty.
    void backward(std::span<const float> logitGradients, std::span<float> gradients,
                  std::span<float> featureGradients = {});

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::training
