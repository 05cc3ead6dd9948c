// One Swin transformer block on the residual stream x, of either kind: BlockForm.h has their equations. One
// thread at a time; allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/Mlp.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Network/WindowAttention.h"

#include <span>

namespace earshot::model {

// Buffers that the blocks of a pass use in turn.
struct BlockBuffers {
    // (tokens, C) of NetworkWeights::activations: the normed tokens of V1; later the attention's output.
    void* normed;
    // Where queries, keys and values are float32 and activations are not, (tokens, C) of float32: the
    // attention's output before it is rounded; else `normed`.
    void* attended;
    // Queries, keys and values, (tokens, 3 * C) of activations (float32 in int8 and in V2); then the
    // projection's result of V2, (tokens, C) of float32; then the MLP's hidden values, (tokens, mlpRatio * C)
    // of activations.
    void* wide;
    float* scratch; // oneDNN's
    MlpBuffers mlp; // uses `normed` and `wide`
};

class SwinBlock {
  public:
    // x: (tokens, C), updated in place. All references outlive this object.
    SwinBlock(const BlockWeights& weights, const AttentionLayout& layout, int heads, float* x,
              BlockBuffers buffers);

    // A pass calls these four in this order. In V2 the first applies no norm, because it follows the
    // projection.
    void normAndQkv();
    void attend();
    void project();
    void mlp(const Mlp::Observer& observer = {}) { mlp_.run(observer); }

    // After normAndQkv() the normed tokens, after attend() the attention's output: (tokens, C). V1 in float32
    // only.
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
