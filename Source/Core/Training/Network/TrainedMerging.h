// Patch merging of either kind with its backward pass, for several windows at a time. It computes the same
// sums as PatchMerging in Core/Model. One thread at a time.
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
    const bool isV1_;         // the norm stands before the layer, over 4C; in V2 after it, over 2C
    const std::int64_t rows_; // tokens / 4
    const int channels_;
    ParameterValues<Value> values_;
    TrainedLinear<Value> layer_;
    std::vector<std::int32_t> parts_; // (rows, 4): the input row of each part

    tensor::AlignedVector<float> unnormed_;         // what the norm reads: (rows, 4C), in V2 (rows, 2C)
    tensor::AlignedVector<float> unnormedGradient_; // likewise
    tensor::AlignedVector<float> statistics_;       // (rows, 2)
    tensor::AlignedVector<Value> inputs_;           // of the layer: (rows, 4C)
    tensor::AlignedVector<Value> inputGradient_;    // likewise
    tensor::AlignedVector<Value> resultGradient_;   // of the layer: (rows, 2C)
};

} // namespace earshot::training
