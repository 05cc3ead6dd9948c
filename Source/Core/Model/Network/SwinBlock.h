// One Swin transformer block on the residual stream x:
//   x += projection(attention(norm1(x)));  x += contract(gelu(expand(norm2(x))))
// (Liu et al. 2021, equation 3). One thread at a time; allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/Mlp.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Network/WindowAttention.h"

#include <span>

namespace earshot::model {

// Buffers that the blocks of a pass use in turn.
struct BlockBuffers {
    void* normed; // (tokens, C) of NetworkWeights::activations; later the attention's output
    // In int8 (tokens, C) of float32: the attention's output before it is rounded to bytes; else `normed`.
    void* attended;
    // Queries, keys and values, (tokens, 3 * C) of activations (float32 in int8); later the MLP's hidden
    // values, (tokens, mlpRatio * C) of activations.
    void* wide;
    float* scratch; // oneDNN's
    MlpBuffers mlp; // uses `normed` and `wide`
};

class SwinBlock {
  public:
    // x: (tokens, C), updated in place. All references outlive this object.
    SwinBlock(const BlockWeights& weights, const AttentionLayout& layout, int heads, float* x,
              BlockBuffers buffers);

    // A pass calls these four in this order.
    void normAndQkv();
    void attend();
    void project();
    void mlp(const Mlp::Observer& observer = {}) { mlp_.run(observer); }

    // After normAndQkv() the normed tokens, after attend() the attention's output: (tokens, C). Float32 only.
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
