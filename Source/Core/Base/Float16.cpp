#include "Core/Base/Float16.h"

#include <limits>

namespace earshot {

std::uint16_t toFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    constexpr std::uint32_t infinity = 0x7f800000u;
    constexpr std::uint32_t overflow = 0x477ff000u; // 65520 and more round to infinity
    constexpr std::uint32_t smallest = 0x38800000u; // 2^-14: smaller halves are subnormal
    if (magnitude > infinity) return sign | 0x7e00u;
    if (magnitude >= overflow) return sign | 0x7c00u;
    std::uint32_t wide = magnitude - 0x38000000u; // exponent 15 instead of 127; 13 bits to drop
    std::uint32_t drop = 13;
    if (magnitude < smallest) {
        drop = 126 - (magnitude >> 23);
        if (drop > 24) return sign;
        wide = (magnitude & 0x7fffffu) | 0x800000u;
    }
    const std::uint32_t kept = wide >> drop;
    const std::uint32_t rest = wide & ((1u << drop) - 1);
    const std::uint32_t half = 1u << (drop - 1);
    const bool up = rest > half || (rest == half && (kept & 1u) != 0);
    return static_cast<std::uint16_t>(sign | (kept + (up ? 1u : 0u)));
}

} // namespace earshot
