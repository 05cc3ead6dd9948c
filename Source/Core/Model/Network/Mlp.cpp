#include "Core/Model/Network/Mlp.h"

#include "Core/Model/Network/LayerInputs.h"
#include "Core/Model/Network/LayerNorm.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>

namespace earshot::model {

namespace {

using tensor::Number;

// Up to this many rows stay in the caches, so that the weights are read only once.
constexpr std::int64_t maxRowsAtOnce = 512;

std::span<const float> floats(const std::byte* first, std::int64_t count) {
    return {reinterpret_cast<const float*>(first), static_cast<std::size_t>(count)};
}

} // namespace

// A chunk is the whole grid or one row of attention windows.
std::int64_t mlpRows(const Config& config, int stage) {
    const std::int64_t grid = config.stageGrid(stage);
    return grid * grid <= maxRowsAtOnce ? grid * grid : grid * config.stageAttentionSide(stage);
}

Mlp::Mlp(const BlockWeights& weights, float* x, const MlpBuffers& buffers)
    : weights_(weights)
    , x_(x)
    , buffers_(buffers) {
    assert(weights.qkv.rows() % weights.expand.rows() == 0);
    reserve(1);
}

void Mlp::reserve(int threads) {
    const auto& expand = weights_.expand;
    const auto operands = expand.numbers().operands;
    const auto bytes = [&](std::int64_t channels, Number number) {
        return static_cast<std::size_t>(expand.rows() * channels) * tensor::bytesOf(number);
    };
    const bool isV2 = weights_.kind == BlockKind::v2;
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(threads, chunks()));
    while (hands_.size() < wanted) {
        const std::size_t hand = hands_.size();
        std::byte* const normed =
            buffers_.normed + hand * bytes(expand.inputs(), isV2 ? Number::float32 : operands);
        std::byte* const hidden = buffers_.hidden + hand * bytes(expand.outputs(), operands);
        float* const scratch = buffers_.scratch->of(hand);
        hands_.push_back(
            {normed, hidden, {expand, normed, hidden, scratch}, {weights_.contract, hidden, x_, scratch}});
    }
}

void Mlp::run(const Observer& observer) {
    reserve(tensor::threadCount());
    if (chunks() == 1)
        runChunk(0, hands_.front(), observer);
    else
        tensor::parallelFor(chunks(), [&](std::int64_t chunk, int thread) {
            runChunk(chunk, hands_[static_cast<std::size_t>(thread)], observer);
        });
}

void Mlp::runChunk(std::int64_t chunk, Hand& hand, const Observer& observer) {
    const auto rows = weights_.expand.rows(), channels = weights_.expand.inputs();
    float* const x = x_ + chunk * rows * channels;
    const auto operands = weights_.expand.numbers().operands;
    const bool isAlone = chunks() == 1, isV2 = weights_.kind == BlockKind::v2;
    if (isV2)
        setInputs(x, hand.normed, operands, rows * channels);
    else
        (isAlone ? layerNorm : layerNormHere)(weights_.norm2, x, hand.normed, operands, rows);
    hand.expand.run();
    gelu(hand.hidden);
    if (observer)
        observer(floats(hand.normed, rows * channels), floats(hand.hidden, rows * weights_.expand.outputs()));
    if (!isV2) return hand.contract.run(hand.hidden, x);
    auto* const result = reinterpret_cast<float*>(hand.normed);
    hand.contract.run(hand.hidden, result);
    (isAlone ? addLayerNorm : addLayerNormHere)(weights_.norm2, result, x, rows);
}

// In int8, oneDNN applied GELU as part of the expand layer.
void Mlp::gelu(std::byte* hidden) const {
    const auto number = weights_.expand.numbers().result;
    if (number == Number::uint8) return;
    const auto rows = weights_.expand.rows(), width = weights_.expand.outputs();
    const auto rowsOf = [&](std::int64_t row, std::int64_t count) {
        std::byte* const first = hidden + static_cast<std::size_t>(row * width) * tensor::bytesOf(number);
        geluInPlace(first, number, count * width);
    };
    if (chunks() > 1) return rowsOf(0, rows);
    tensor::parallelFor(rows, [&](std::int64_t row, int) { rowsOf(row, 1); });
}

} // namespace earshot::model
