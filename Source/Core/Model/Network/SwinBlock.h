// One Swin transformer block on the residual stream x:
//   x += projection(attention(norm1(x)));  x += contract(gelu(expand(norm2(x))))
// (Liu et al. 2021, equation 3). One thread at a time; allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/Mlp.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Network/WindowAttention.h"

#include <span>

namespace earshot::model {

// Buffers that the blocks of a pass take turns with.
struct BlockBuffers {
    void* normed; // (tokens, C) of NetworkWeights::activations, later the attention's output
    void*
        attended; // that output before it is made bytes, (tokens, C) of float32; without bytes `normed` again
    void* wide;   // (tokens, mlpRatio * C) of activations, first queries, keys and values
    float* scratch; // oneDNN's
    MlpBuffers mlp; // over the first and the third
};

class SwinBlock {
  public:
    // x: (tokens, C), updated in place. All references outlive this object.
    SwinBlock(const BlockWeights& weights, const AttentionLayout& layout, int heads, float* x,
              BlockBuffers buffers);

    // One pass is these four in order.
    void normAndQkv();
    void attend();
    void project();
    void mlp(const Mlp::Observer& observer = {}) { mlp_.run(observer); }

    // What the first two left there: (tokens, C). In float32 only.
    std::span<const float> normed() const;

  private:
    void roundAttended();

    const BlockWeights& weights_;
    float* x_;
    BlockBuffers buffers_;
    tensor::Number activations_;
    WindowAttention attention_;
    tensor::LinearCall qkv_;
    tensor::LinearCall projection_;
    Mlp mlp_;
};

} // namespace earshot::model
