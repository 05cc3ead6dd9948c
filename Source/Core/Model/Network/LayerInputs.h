// Prepares the inputs of layers in the numbers that they multiply: float32 or bfloat16. Any thread.
#pragma once

#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace earshot::model {

// y[i] = x[i], rounded to `number`.
inline void setInputs(const float* x, std::byte* y, tensor::Number number, std::int64_t count) {
    if (number == tensor::Number::bfloat16)
        tensor::optimiserKernels().roundToBFloat16(x, reinterpret_cast<tensor::BFloat16*>(y), count);
    else
        std::memcpy(y, x, static_cast<std::size_t>(count) * sizeof(float));
}

// The same the other way: y[i] = x[i].
inline void getInputs(const std::byte* x, tensor::Number number, std::span<float> y) {
    assert(number != tensor::Number::uint8);
    if (number == tensor::Number::bfloat16)
        std::transform(reinterpret_cast<const tensor::BFloat16*>(x),
                       reinterpret_cast<const tensor::BFloat16*>(x) + y.size(), y.begin(),
                       [](tensor::BFloat16 value) { return static_cast<float>(value); });
    else
        std::memcpy(y.data(), x, y.size_bytes());
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
