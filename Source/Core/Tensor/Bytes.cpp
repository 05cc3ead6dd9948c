#include "Core/Tensor/Bytes.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::tensor {

namespace {

constexpr float minStep = 1e-12f;
constexpr float maxWeight = 127.0f;

// Rounds to nearest without a function call: adding 1.5 * 2^23 leaves no bits for a fraction.
float rounded(float x) {
    constexpr float shifter = 12582912.0f;
    return (x + shifter) - shifter;
}

} // namespace

ByteScale ByteScale::over(float low, float high) { return {low, std::max((high - low) / 255.0f, minStep)}; }

// x = low + step * byte: the steps are folded into the weights, the lows into the bias.
ByteWeights byteWeights(std::span<const float> weights, std::span<const float> bias,
                        std::span<const ByteScale> inputs) {
    const std::size_t columns = inputs.size();
    assert(columns > 0 && weights.size() % columns == 0);
    const std::size_t rows = weights.size() / columns;
    assert(bias.empty() || bias.size() == rows);
    std::vector<float> offsets; // the lows of the columns, in steps
    for (const auto& [low, step] : inputs) offsets.push_back(low / step);
    ByteWeights out;
    out.weights.resize(weights.size());
    std::vector<float> scaled(columns);
    for (std::size_t row = 0; row < rows; ++row) {
        float largest = minStep;
        for (std::size_t c = 0; c < columns; ++c) {
            scaled[c] = weights[row * columns + c] * inputs[c].step;
            largest = std::max(largest, std::abs(scaled[c]));
        }
        const float scale = largest / maxWeight;
        // Uses the weights as the product sees them, so that their rounding error does not count twice.
        double shift = 0.0;
        for (std::size_t c = 0; c < columns; ++c) {
            const float weight = rounded(scaled[c] / scale);
            out.weights[row * columns + c] = static_cast<std::int8_t>(weight);
            shift += static_cast<double>(weight * offsets[c]);
        }
        out.scales.push_back(scale);
        out.bias.push_back((bias.empty() ? 0.0f : bias[row] / scale) + static_cast<float>(shift));
    }
    return out;
}

} // namespace earshot::tensor
