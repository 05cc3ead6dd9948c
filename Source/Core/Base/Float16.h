// IEEE 754 half precision as bits: five of exponent, ten of fraction. Any thread.
#pragma once

#include <bit>
#include <cstdint>

namespace earshot {

// It has no branches and no subnormal arithmetic, so it vectorises and is exact under flush-to-zero.
// (Compilers turn `?:` around floating-point arithmetic, which might trap, into branches.)
[[gnu::always_inline]] inline float fromFloat16(std::uint16_t half) {
    constexpr std::uint32_t exponentMask = 0x1fu << 23; // the half's exponent, moved to float's place
    const std::uint32_t magnitude = (half & 0x7fffu) << 13;
    const std::uint32_t normal = magnitude + ((127u - 15u) << 23);  // other exponent bias
    const std::uint32_t special = magnitude + ((255u - 31u) << 23); // infinity and NaN
    // 2^-14 with the subnormal's bits as its fraction, less 2^-14, is the subnormal's value.
    const auto subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f);
    const std::uint32_t exponent = magnitude & exponentMask;
    const std::uint32_t isSpecial = 0u - static_cast<std::uint32_t>(exponent == exponentMask);
    const std::uint32_t isSubnormal = 0u - static_cast<std::uint32_t>(exponent == 0);
    const std::uint32_t bits =
        (special & isSpecial) | (subnormal & isSubnormal) | (normal & ~(isSpecial | isSubnormal));
    return std::bit_cast<float>(bits | (static_cast<std::uint32_t>(half & 0x8000u) << 16));
}

// The bits of the nearest float16, ties to even. Values beyond its range become infinite.
std::uint16_t toFloat16(float value);

} // namespace earshot
