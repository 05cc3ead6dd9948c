// Layer normalisation over rows with a layer's weights (Ba et al. 2016). Any thread.
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <cstdint>

namespace earshot::model {

// x: (rows, channels). y: the same shape in the type `result`; in float32 it may be `x`. Splits the rows over
// threadCount() threads.
void layerNorm(const LayerNormWeights& weights, const float* x, void* y, tensor::Number result,
               std::int64_t rows);
// The same on the calling thread alone.
void layerNormHere(const LayerNormWeights& weights, const float* x, void* y, tensor::Number result,
                   std::int64_t rows);

// x += the norm of y. x, y: (rows, channels); y is overwritten. Splits the rows as layerNorm() does.
void addLayerNorm(const LayerNormWeights& weights, float* y, float* x, std::int64_t rows);
// The same on the calling thread alone.
void addLayerNormHere(const LayerNormWeights& weights, float* y, float* x, std::int64_t rows);

} // namespace earshot::model
