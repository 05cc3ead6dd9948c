// A layer norm's gain and bias, as they are read and run. Immutable once read: any thread.
#pragma once

#include "Core/Tensor/Tensor.h"

namespace earshot::model {

// If the next layer reads bytes, gain and bias include the byte scale, so that results only need rounding.
struct LayerNormWeights {
    static constexpr float epsilon = 1e-5f;
    tensor::Tensor gain; // (C)
    tensor::Tensor bias; // (C)
};

} // namespace earshot::model
