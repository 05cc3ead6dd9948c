// bfloat16: the upper half of a float32, rounded to nearest even. Training stores activations in it if the
// CPU multiplies such numbers (AVX512-BF16, AMX). Pure functions: any thread.
#pragma once

#include <bit>
#include <cstdint>

namespace earshot::tensor {

struct BFloat16 {
    std::uint16_t bits = 0;

    BFloat16() = default;
    // A NaN stays NaN: rounding its payload could turn it into infinity.
    explicit BFloat16(float value) {
        const auto whole = std::bit_cast<std::uint32_t>(value);
        bits = value != value ? static_cast<std::uint16_t>((whole >> 16) | 0x40u)
                              : static_cast<std::uint16_t>((whole + 0x7fffu + ((whole >> 16) & 1u)) >> 16);
    }
    explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

} // namespace earshot::tensor
