#include "Core/Model/PatchMerging.h"

#include "Core/Model/LayerNorm.h"

#include <algorithm>

namespace earshot::model {

PatchMerging::PatchMerging(const MergingWeights& weights, int grid, const float* input, float* gathered,
                           float* output, float* scratch)
    : weights_(weights)
    , grid_(grid)
    , input_(input)
    , gathered_(gathered)
    , reduce_(weights.reduction, gathered, output, scratch) {}

void PatchMerging::run() {
    const auto channels = weights_.reduction.inputs() / 4;
    float* out = gathered_;
    for (int row = 0; row < grid_; row += 2)
        for (int column = 0; column < grid_; column += 2)
            for (int part = 0; part < 4; ++part) {
                const int down = part % 2, right = part / 2;
                const auto token = static_cast<std::int64_t>(row + down) * grid_ + column + right;
                out = std::copy_n(input_ + token * channels, channels, out);
            }
    layerNorm(weights_.norm, gathered_, gathered_, weights_.reduction.rows());
    reduce_.run();
}

} // namespace earshot::model
