// Patch merging with its backward pass, for several windows at a time. It computes the same sums as
// PatchMerging in Core/Model. One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/StageGeometry.h"
#include "Core/Training/Network/TrainedLinear.h"

#include <span>

namespace earshot::training {

template <typename Value>
class TrainedMerging {
  public:
    // geometry: that of the stage that is merged.
    TrainedMerging(const ParameterLayout& parameters, int stage, const StageGeometry& geometry);

    void setParameters(const ParameterValues<Value>& values) { values_ = values; }
    // input: (tokens, C) -> output: (tokens / 4, 2C)
    void forward(const float* input, float* output);
    // outputGradient: (tokens / 4, 2C); inputGradient: (tokens, C), set unless it is null.
    void backward(const float* outputGradient, float* inputGradient, std::span<float> gradients);

  private:
    const Parameter& gain_;
    const Parameter& shift_;
    const Parameter& reduction_;
    const std::int64_t rows_; // tokens / 4
    const int channels_;
    ParameterValues<Value> values_;
    TrainedLinear<Value> layer_;
    std::vector<std::int32_t> parts_; // (rows, 4): the input row of each part

    tensor::AlignedVector<float> gathered_; // (rows, 4C)
    tensor::AlignedVector<float> gatheredGradient_;
    tensor::AlignedVector<float> statistics_; // (rows, 2)
    tensor::AlignedVector<Value> normed_;     // (rows, 4C)
    tensor::AlignedVector<Value> normedGradient_;
    tensor::AlignedVector<Value> outputGradient_; // (rows, 2C)
};

} // namespace earshot::training
