// Halves the grid and doubles the width: each 2 x 2 group of tokens side by side in the order
// (row, column) (0,0), (1,0), (0,1), (1,1), LayerNorm over 4C, linear to 2C (Liu et al. 2021).
// One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <span>

namespace earshot::model {

class PatchMerging {
  public:
    // input: (rows * columns, C), gathered and normed: room for (rows * columns / 4, 4C), normed of
    // NetworkWeights::activations (where that is float32 they may be one), output: (rows * columns / 4, 2C).
    PatchMerging(const MergingWeights& weights, int rows, int columns, const float* input, float* gathered,
                 void* normed, float* output, float* scratch);

    void run();
    // What run() left for the linear layer to read: (rows * columns / 4, 4C). In float32 only.
    std::span<const float> normed() const;

  private:
    void mergeRow(std::int64_t row);

    const MergingWeights& weights_;
    int rows_, columns_;
    const float* input_;
    float* gathered_;
    std::byte* normed_;
    tensor::LinearCall reduce_;
};

} // namespace earshot::model
