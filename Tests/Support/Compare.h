// Comparisons in which a NaN, on either side, fails.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace earshot::test {

// The largest absolute difference; infinity if sizes differ or a value is NaN.
template <typename A, typename B>
double maxDifference(const A& a, const B& b) {
    constexpr double worst = std::numeric_limits<double>::infinity();
    if (a.size() != b.size()) return worst;
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(difference < worst)) return worst;
        if (difference > largest) largest = difference;
    }
    return largest;
}

// Reproducible values, uniform in [low, high).
inline std::vector<float> randomValues(std::size_t count, unsigned seed, float low = -1.0f,
                                       float high = 1.0f) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    std::vector<float> values(count);
    for (auto& v : values) v = uniform(generator);
    return values;
}

inline std::vector<double> widened(const std::vector<float>& values) {
    return {values.begin(), values.end()};
}

} // namespace earshot::test
