#include "Core/Model/Network/LayerNorm.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>

namespace earshot::model {

namespace {

// Calls work(first row, rows) for parts of the rows, over threadCount() threads.
template <typename Work>
void inParts(std::int64_t rows, Work&& work) {
    constexpr std::int64_t rowsPerTask = 64;
    tensor::parallelFor((rows + rowsPerTask - 1) / rowsPerTask, [&](std::int64_t task, int) {
        const auto first = task * rowsPerTask;
        work(first, std::min(rowsPerTask, rows - first));
    });
}

} // namespace

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
    const auto channels = static_cast<std::int64_t>(weights.gain.size());
    auto* const bytes = static_cast<std::byte*>(y);
    inParts(rows, [&](std::int64_t first, std::int64_t count) {
        layerNormHere(weights, x + first * channels,
                      bytes + static_cast<std::size_t>(first * channels) * bytesOf(result), result, count);
    });
}

void addLayerNormHere(const LayerNormWeights& weights, float* y, float* x, std::int64_t rows) {
    const auto channels = static_cast<std::int64_t>(weights.gain.size());
    layerNormHere(weights, y, y, tensor::Number::float32, rows);
    tensor::kernels<float>().scatterAdd(x, nullptr, y, 1.0f, rows, channels);
}

void addLayerNorm(const LayerNormWeights& weights, float* y, float* x, std::int64_t rows) {
    const auto channels = static_cast<std::int64_t>(weights.gain.size());
    inParts(rows, [&](std::int64_t first, std::int64_t count) {
        addLayerNormHere(weights, y + first * channels, x + first * channels, count);
    });
}

} // namespace earshot::model
