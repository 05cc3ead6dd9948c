// Shared by tests of loops over both kinds of value.
#pragma once

#include "Core/Tensor/BFloat16.h"
#include "Support/Compare.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace earshot::test {

// Half a step between neighbouring values, relative to their size.
template <typename Value>
constexpr double rounding = std::is_same_v<Value, float> ? 6.0e-8 : 1.0 / 256.0;

template <typename Value>
std::vector<Value> rounded(const std::vector<float>& values) {
    std::vector<Value> result;
    for (const float v : values) result.push_back(Value(v));
    return result;
}
template <typename Value>
std::vector<Value> randomOf(std::size_t count, unsigned seed, float low = -1.0f, float high = 1.0f) {
    return rounded<Value>(randomValues(count, seed, low, high));
}
template <typename Value>
std::vector<double> doubles(const std::vector<Value>& values) {
    std::vector<double> result;
    for (const Value v : values) result.push_back(static_cast<double>(static_cast<float>(v)));
    return result;
}

template <typename Value>
std::vector<float> widenedFloats(const std::vector<Value>& values) {
    std::vector<float> result;
    for (const Value v : values) result.push_back(static_cast<float>(v));
    return result;
}

// Whether every value is within `absolute` of the expected one after rounding to Value, without a NaN.
template <typename Value>
bool near(const std::vector<Value>& actual, const std::vector<double>& expected, double absolute) {
    if (actual.size() != expected.size()) return false;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double difference = std::abs(static_cast<double>(static_cast<float>(actual[i])) - expected[i]);
        if (!(difference <= absolute + 1.01 * rounding<Value> * std::abs(expected[i]))) return false;
    }
    return true;
}

inline double largestOf(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    return largest;
}

} // namespace earshot::test
