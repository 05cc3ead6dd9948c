#include "Core/Model/LayerNorm.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>

namespace earshot::model {

void layerNorm(const LayerNormWeights& weights, const float* x, float* y, std::int64_t rows) {
    constexpr std::int64_t rowsPerTask = 64;
    const auto channels = static_cast<std::int64_t>(weights.gain.size());
    const auto& kernel = tensor::kernels().layerNorm;
    tensor::parallelFor((rows + rowsPerTask - 1) / rowsPerTask, [&](std::int64_t task, int) {
        const auto first = task * rowsPerTask;
        const auto count = std::min(rowsPerTask, rows - first);
        kernel(x + first * channels, y + first * channels, count, channels, weights.gain.data(),
               weights.bias.data(), LayerNormWeights::epsilon);
    });
}

} // namespace earshot::model
