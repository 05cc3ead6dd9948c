// Layer normalisation over rows with a layer's weights (Ba et al. 2016), split over threadCount() threads.
#pragma once

#include "Core/Model/NetworkWeights.h"

#include <cstdint>

namespace earshot::model {

// x, y: (rows, channels); they may be the same.
void layerNorm(const LayerNormWeights& weights, const float* x, float* y, std::int64_t rows);

} // namespace earshot::model
