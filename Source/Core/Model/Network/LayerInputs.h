// Prepares the inputs of layers in the numbers that they multiply: float32 or bfloat16. Any thread.
#pragma once

#include "Core/Tensor/Kernels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace earshot::model {

// y[i] = x[i], rounded to `number`.
inline void setInputs(const float* x, std::byte* y, tensor::Number number, std::int64_t count) {
    if (number == tensor::Number::bfloat16)
        tensor::optimiserKernels().roundToBFloat16(x, reinterpret_cast<tensor::BFloat16*>(y), count);
    else
        std::memcpy(y, x, static_cast<std::size_t>(count) * sizeof(float));
}

inline void geluInPlace(std::byte* values, tensor::Number number, std::int64_t count) {
    const auto apply = [count](auto* x) {
        tensor::kernels<std::remove_pointer_t<decltype(x)>>().gelu(x, x, count);
    };
    if (number == tensor::Number::bfloat16)
        apply(reinterpret_cast<tensor::BFloat16*>(values));
    else
        apply(reinterpret_cast<float*>(values));
}

} // namespace earshot::model
