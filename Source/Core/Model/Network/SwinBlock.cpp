#include "Core/Model/Network/SwinBlock.h"

#include "Core/Model/Network/LayerNorm.h"
#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>

namespace earshot::model {

SwinBlock::SwinBlock(const BlockWeights& weights, const AttentionLayout& layout, int heads, float* x,
                     BlockBuffers buffers)
    : weights_(weights)
    , x_(x)
    , buffers_(buffers)
    , activations_(weights.qkv.numbers().operands)
    , attention_(layout, static_cast<int>(weights.qkv.inputs()), heads, weights.qkv.numbers().result)
    , qkv_(weights.qkv, buffers.normed, buffers.wide, buffers.scratch)
    , projection_(weights.projection, buffers.normed, x, buffers.scratch)
    , mlp_(weights, x, buffers.mlp) {}

void SwinBlock::normAndQkv() {
    layerNorm(weights_.norm1, x_, buffers_.normed, activations_, weights_.qkv.rows());
    qkv_.run();
}

// The attention's output overwrites the normed tokens, which nothing reads after qkv_.
void SwinBlock::attend() {
    attention_.run(buffers_.wide, weights_.positionBias, buffers_.attended);
    if (activations_ == tensor::Number::uint8) roundAttended();
}

void SwinBlock::roundAttended() {
    const float scale = 1.0f / weights_.attended.step;
    const float shift = -weights_.attended.low * scale;
    const auto width = weights_.projection.inputs();
    const auto* from = static_cast<const float*>(buffers_.attended);
    auto* const to = static_cast<std::uint8_t*>(buffers_.normed);
    constexpr std::int64_t rowsPerTask = 64;
    const auto rows = weights_.projection.rows();
    tensor::parallelFor((rows + rowsPerTask - 1) / rowsPerTask, [&](std::int64_t task, int) {
        const auto first = task * rowsPerTask * width;
        const auto count = std::min(rowsPerTask * width, rows * width - first);
        tensor::byteKernels().round(from + first, to + first, count, scale, shift);
    });
}

void SwinBlock::project() { projection_.run(); }

std::span<const float> SwinBlock::normed() const {
    assert(activations_ == tensor::Number::float32);
    return {static_cast<const float*>(buffers_.normed),
            static_cast<std::size_t>(weights_.qkv.rows() * weights_.qkv.inputs())};
}

} // namespace earshot::model
