// Random numbers that are the same on every machine and with every standard library: SplitMix64 (Steele et
// al. 2014), seeded by seedFor(). One thread at a time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace earshot::training {

class Dice {
  public:
    explicit Dice(std::uint64_t seed)
        : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t value = state_ += 0x9e3779b97f4a7c15;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
        value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
        return value ^ (value >> 31);
    }
    // A value in [0, 1) with 24 random bits.
    float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }
    float between(float low, float high) { return low + (high - low) * unit(); }
    // Uniform on the logarithm, for frequencies and ratios. low > 0.
    float betweenOctaves(float low, float high) { return low * std::exp(std::log(high / low) * unit()); }
    bool chance(float share) { return unit() < share; }
    // An integer in [0, count - 1]; count is at least 1 and below 2^32.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(((next() >> 32) * count) >> 32); }
    // An integer in [first, last].
    int from(int first, int last) {
        return first + static_cast<int>(below(static_cast<std::size_t>(last - first) + 1));
    }

  private:
    std::uint64_t state_;
};

} // namespace earshot::training
