#include "Core/Model/Network/LayerNorm.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>

namespace earshot::model {

void layerNormHere(const LayerNormWeights& weights, const float* x, void* y, tensor::Number result,
                   std::int64_t rows) {
    const auto channels = static_cast<std::int64_t>(weights.gain.size());
    if (result == tensor::Number::bfloat16)
        tensor::kernels<tensor::BFloat16>().layerNorm(x, nullptr, static_cast<tensor::BFloat16*>(y), nullptr,
                                                      rows, channels, weights.gain.data(),
                                                      weights.bias.data(), LayerNormWeights::epsilon);
    else if (result == tensor::Number::uint8)
        tensor::byteKernels().layerNorm(x, static_cast<std::uint8_t*>(y), rows, channels, weights.gain.data(),
                                        weights.bias.data(), LayerNormWeights::epsilon);
    else
        tensor::kernels<float>().layerNorm(x, nullptr, static_cast<float*>(y), nullptr, rows, channels,
                                           weights.gain.data(), weights.bias.data(),
                                           LayerNormWeights::epsilon);
}

void layerNorm(const LayerNormWeights& weights, const float* x, void* y, tensor::Number result,
               std::int64_t rows) {
    constexpr std::int64_t rowsPerTask = 64;
    const auto channels = static_cast<std::int64_t>(weights.gain.size());
    auto* const bytes = static_cast<std::byte*>(y);
    tensor::parallelFor((rows + rowsPerTask - 1) / rowsPerTask, [&](std::int64_t task, int) {
        const auto first = task * rowsPerTask;
        const auto count = std::min(rowsPerTask, rows - first);
        layerNormHere(weights, x + first * channels,
                      bytes + static_cast<std::size_t>(first * channels) * bytesOf(result), result, count);
    });
}

} // namespace earshot::model
