// Halves the grid and doubles the width: concatenates each 2 x 2 group of tokens in the order (row, column)
// (0,0), (1,0), (0,1), (1,1), then applies LayerNorm over 4C and a linear layer to 2C (Liu et al. 2021), or
// in V2 the linear layer and LayerNorm over 2C (Liu et al. 2022). One thread at a time; allocates nothing in
// run().
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <span>

namespace earshot::model {

class PatchMerging {
  public:
    // input: (rows * columns, C). gathered: room for (rows * columns / 4, 4C). normed: room for the same
    // shape in NetworkWeights::activations; in float32 it may be `gathered`. output:
    // (rows * columns / 4, 2C). scratch: oneDNN's. All references outlive this object.
    PatchMerging(const MergingWeights& weights, int rows, int columns, const float* input, float* gathered,
                 void* normed, float* output, float* scratch);

    void run();
    // The linear layer's input after run(): (rows * columns / 4, 4C). V1 in float32 only.
    std::span<const float> normed() const;

  private:
    void mergeRow(std::int64_t row);

    const MergingWeights& weights_;
    int rows_, columns_;
    const float* input_;
    float* gathered_;
    std::byte* normed_;
    float* output_;
    tensor::LinearCall reduce_;
};

} // namespace earshot::model
