#include "Core/Model/Network/SwinBlock.h"

#include "Core/Model/Network/LayerInputs.h"
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
    , activations_(weights.projection.numbers().operands)
    , attention_(layout, static_cast<int>(weights.qkv.inputs()), heads, weights.qkv.numbers().result)
    , qkv_(weights.qkv, weights.kind == BlockKind::v1 ? buffers.normed : x, buffers.wide, buffers.scratch)
    , projection_(weights.projection, buffers.normed, weights.kind == BlockKind::v1 ? x : buffers.wide,
                  buffers.scratch)
    , mlp_(weights, x, buffers.mlp) {}

void SwinBlock::normAndQkv() {
    if (weights_.kind == BlockKind::v1)
        layerNorm(weights_.norm1, x_, buffers_.normed, activations_, weights_.qkv.rows());
    qkv_.run();
}

// The attention's output overwrites the normed tokens, which nothing reads after qkv_. Where queries, keys
// and values are not of the type that the projection reads, the output is rounded on the way.
void SwinBlock::attend() {
    attention_.run(buffers_.wide, weights_.positionBias, weights_.scoreScale, buffers_.attended);
    if (activations_ == tensor::Number::uint8)
        roundAttended();
    else if (buffers_.attended != buffers_.normed)
        setInputs(static_cast<const float*>(buffers_.attended), static_cast<std::byte*>(buffers_.normed),
                  activations_, weights_.projection.rows() * weights_.projection.inputs());
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

void SwinBlock::project() {
    projection_.run();
    if (weights_.kind == BlockKind::v2)
        addLayerNorm(weights_.norm1, static_cast<float*>(buffers_.wide), x_, weights_.projection.rows());
}

std::span<const float> SwinBlock::normed() const {
    assert(activations_ == tensor::Number::float32);
    return {static_cast<const float*>(buffers_.normed),
            static_cast<std::size_t>(weights_.qkv.rows() * weights_.qkv.inputs())};
}

} // namespace earshot::model
