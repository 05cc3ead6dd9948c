#include "Core/Model/Network/PatchMerging.h"

#include "Core/Model/Network/LayerInputs.h"
#include "Core/Model/Network/LayerNorm.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>

namespace earshot::model {

PatchMerging::PatchMerging(const MergingWeights& weights, int rows, int columns, const float* input,
                           float* gathered, void* normed, float* output, float* scratch)
    : weights_(weights)
    , rows_(rows)
    , columns_(columns)
    , input_(input)
    , gathered_(gathered)
    , normed_(static_cast<std::byte*>(normed))
    , output_(output)
    , reduce_(weights.reduction, normed, output, scratch) {}

void PatchMerging::mergeRow(std::int64_t row) {
    const auto channels = weights_.reduction.inputs() / 4;
    const auto number = weights_.reduction.numbers().operands;
    const std::int64_t first = row * (columns_ / 2) * 4 * channels;
    float* out = gathered_ + first;
    for (int column = 0; column < columns_; column += 2)
        for (int part = 0; part < 4; ++part) {
            const int down = part % 2, right = part / 2;
            const auto token = (2 * row + down) * columns_ + column + right;
            out = std::copy_n(input_ + token * channels, channels, out);
        }
    std::byte* const normed = normed_ + static_cast<std::size_t>(first) * bytesOf(number);
    if (weights_.kind == BlockKind::v1)
        layerNormHere(weights_.norm, gathered_ + first, normed, number, columns_ / 2);
    else if (number != tensor::Number::float32 || gathered_ != reinterpret_cast<float*>(normed_))
        setInputs(gathered_ + first, normed, number, columns_ / 2 * 4 * channels);
}

void PatchMerging::run() {
    tensor::parallelFor(rows_ / 2, [&](std::int64_t row, int) { mergeRow(row); });
    reduce_.run();
    if (weights_.kind == BlockKind::v2)
        layerNorm(weights_.norm, output_, output_, tensor::Number::float32, weights_.reduction.rows());
}

std::span<const float> PatchMerging::normed() const {
    assert(weights_.reduction.numbers().operands == tensor::Number::float32);
    return {reinterpret_cast<const float*>(normed_),
            static_cast<std::size_t>(weights_.reduction.rows() * weights_.reduction.inputs())};
}

} // namespace earshot::model
