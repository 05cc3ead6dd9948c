// Samples in 16 bit: a value of 1 is 32768 steps. Values beyond full scale are clipped, and those that are
// not finite become silence. AudioFile reads 16-bit files back in the same scale. Pure functions: any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace earshot::audio {

inline constexpr float sixteenBitScale = 32768.0f;

inline std::int16_t toSixteenBit(float sample) {
    if (!std::isfinite(sample)) return 0;
    const float steps = std::clamp(sample * sixteenBitScale, -sixteenBitScale, sixteenBitScale - 1.0f);
    return static_cast<std::int16_t>(std::lrint(steps));
}

inline float fromSixteenBit(std::int16_t steps) { return static_cast<float>(steps) / sixteenBitScale; }

} // namespace earshot::audio
