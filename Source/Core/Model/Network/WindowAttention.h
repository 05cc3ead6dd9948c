// Self-attention inside the windows of a grid. Reads queries, keys and values where the linear layer left
// them and writes each token back to its own row: partition, shift and their reversal are index maps.
// One thread at a time (it splits the work itself); allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/WindowLayout.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

namespace earshot::model {

class WindowAttention {
  public:
    // number: of what it reads and writes
    WindowAttention(const WindowLayout& layout, int channels, int heads, tensor::Number number);

    // qkv: (tokens, 3 * channels), output: (tokens, channels), positionBias: BlockWeights::positionBias.
    void run(const void* qkv, const tensor::Tensor& positionBias, void* output);

  private:
    template <typename Value>
    void attend(const Value* qkv, const float* positionBias, Value* output);
    float* scratchOf(int thread) {
        return scratch_.data() + static_cast<std::size_t>(thread) * scratchPerThread_;
    }

    const WindowLayout& layout_;
    int channels_;
    int heads_;
    int headDim_; // channels of one
    tensor::Number number_;
    float scale_;                  // of scores
    std::size_t scratchPerThread_; // floats
    tensor::Tensor scratch_;
};

} // namespace earshot::model
