// Stored element types turned into the float32 that the engine computes with, and sizes that hostile
// shapes cannot overflow. Pure functions: any thread.
#pragma once

#include "Core/Model/Reading/Checkpoint.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace earshot::model {

// stored: little-endian elements of `dtype`, values.size() of them. float16 and bfloat16 convert exactly
// (subnormals, infinities and NaNs included); float64 and wide integers round to nearest.
void toFloat32(DType dtype, std::span<const std::byte> stored, std::span<float> values);

// Number of elements, or nothing when an extent is negative or the product exceeds 63 bits.
std::optional<std::int64_t> checkedElementCount(const tensor::Shape& shape);
// a * b, or nothing when an operand is negative or the product exceeds 63 bits.
std::optional<std::int64_t> checkedProduct(std::int64_t a, std::int64_t b);

} // namespace earshot::model
