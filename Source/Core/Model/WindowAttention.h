// Self-attention inside the windows of a grid. Reads queries, keys and values where the linear layer left
// them and writes each token back to its own row: partition, shift and their reversal are index maps.
// One thread at a time (it splits the work itself); allocates only when the thread count grows.
#pragma once

#include "Core/Model/WindowLayout.h"
#include "Core/Tensor/Tensor.h"

namespace earshot::model {

class WindowAttention {
  public:
    WindowAttention(const WindowLayout& layout, int channels, int heads);

    // qkv: (tokens, 3 * channels), output: (tokens, channels), positionBias: BlockWeights::positionBias.
    void run(const float* qkv, const tensor::Tensor& positionBias, float* output);

  private:
    const WindowLayout& layout_;
    int channels_;
    int heads_;
    std::size_t scratchPerThread_; // floats
    tensor::Tensor scratch_;
};

} // namespace earshot::model
