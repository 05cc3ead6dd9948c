#include "Core/Model/SwinBlock.h"

#include "Core/Model/LayerNorm.h"

namespace earshot::model {

SwinBlock::SwinBlock(const BlockWeights& weights, const WindowLayout& layout, int heads, float* x,
                     BlockBuffers buffers)
    : weights_(weights)
    , x_(x)
    , buffers_(buffers)
    , activations_(weights.qkv.numbers().operands)
    , attention_(layout, static_cast<int>(weights.qkv.inputs()), heads, activations_)
    , qkv_(weights.qkv, buffers.normed, buffers.wide, buffers.scratch)
    , projection_(weights.projection, buffers.normed, x, buffers.scratch)
    , expand_(weights.expand, buffers.normed, buffers.wide, buffers.scratch)
    , contract_(weights.contract, buffers.wide, x, buffers.scratch) {}

void SwinBlock::normAndQkv() {
    layerNorm(weights_.norm1, x_, buffers_.normed, activations_, weights_.qkv.rows());
    qkv_.run();
}

// The normed tokens are spent once queries, keys and values are made: their place takes the output.
void SwinBlock::attend() { attention_.run(buffers_.wide, weights_.positionBias, buffers_.normed); }

void SwinBlock::project() { projection_.run(); }

void SwinBlock::mlp() {
    layerNorm(weights_.norm2, x_, buffers_.normed, activations_, weights_.expand.rows());
    expand_.run();
    contract_.run();
}

} // namespace earshot::model
