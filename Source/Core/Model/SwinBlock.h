// One Swin transformer block on the residual stream x:
//   x += projection(attention(norm1(x)));  x += contract(gelu(expand(norm2(x))))
// (Liu et al. 2021, equation 3). One thread at a time; allocates nothing after construction.
#pragma once

#include "Core/Model/NetworkWeights.h"
#include "Core/Model/WindowAttention.h"

namespace earshot::model {

// Buffers that the blocks of a pass take turns with, of NetworkWeights::activations.
struct BlockBuffers {
    void* normed;   // (tokens, C), later the attention's output
    void* wide;     // (tokens, mlpRatio * C), first queries, keys and values
    float* scratch; // oneDNN's
};

class SwinBlock {
  public:
    // x: (tokens, C), updated in place. All references outlive this object.
    SwinBlock(const BlockWeights& weights, const WindowLayout& layout, int heads, float* x,
              BlockBuffers buffers);

    // One pass is these four in order.
    void normAndQkv();
    void attend();
    void project();
    void mlp();

  private:
    const BlockWeights& weights_;
    float* x_;
    BlockBuffers buffers_;
    tensor::Number activations_;
    WindowAttention attention_;
    tensor::LinearCall qkv_;
    tensor::LinearCall projection_;
    tensor::LinearCall expand_;
    tensor::LinearCall contract_;
};

} // namespace earshot::model
