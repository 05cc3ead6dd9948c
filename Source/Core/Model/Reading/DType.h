// Converts stored elements to float32, and computes the sizes of hostile shapes without overflow.
// Pure functions: any thread.
#pragma once

#include "Core/Model/Reading/Checkpoint.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace earshot::model {

// stored: values.size() little-endian elements of `dtype`. float16 and bfloat16 convert exactly (including
// subnormals, infinities and NaNs); float64 and wide integers round to nearest.
void toFloat32(DType dtype, std::span<const std::byte> stored, std::span<float> values);

// Returns the number of elements, or nothing if an extent is negative or the product exceeds 63 bits.
std::optional<std::int64_t> checkedElementCount(const tensor::Shape& shape);
// Returns a * b, or nothing if an operand is negative or the product exceeds 63 bits.
std::optional<std::int64_t> checkedProduct(std::int64_t a, std::int64_t b);

} // namespace earshot::model
