// The TSCAM head with its backward pass, for several windows at a time. It computes the same sums as
// EventHead in Core/Model. One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/TrainedHead.h"

#include <span>
#include <vector>

namespace earshot::training {

template <typename Value>
class TrainedEventHead final : public TrainedHead<Value> {
  public:
    TrainedEventHead(const ParameterLayout& parameters, int samples);

    void setParameters(const ParameterValues<Value>& values) override;
    void forward(std::span<const float* const> features, float* logits) override;
    void backward(const float* logitGradients, std::span<float* const> featureGradients,
                  std::span<float> gradients) override;

  private:
    // The place in the checkpoint of value (position, channel) of a class's kernel. Here the channels are
    // consecutive.
    std::size_t stored(int classIndex, int position, int channel) const;

    const model::Config& config_;
    const int last_;          // the last stage
    const int positions_;     // frequency rows x taps
    const std::int64_t rows_; // samples * stepsPerWindow
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

} // namespace earshot::training
