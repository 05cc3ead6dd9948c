// Layer normalisation over rows with a layer's weights (Ba et al. 2016).
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <cstdint>

namespace earshot::model {

// x: (rows, channels), y: the same, of `result`; where that is float32 they may be one. Split over
// threadCount() threads.
void layerNorm(const LayerNormWeights& weights, const float* x, void* y, tensor::Number result,
               std::int64_t rows);
// The same on the calling thread alone.
void layerNormHere(const LayerNormWeights& weights, const float* x, void* y, tensor::Number result,
                   std::int64_t rows);

} // namespace earshot::model
