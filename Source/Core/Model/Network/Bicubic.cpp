#include "Core/Model/Network/Bicubic.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace earshot::model {

namespace {

// Where a new position reads along a side, and with which weights.
struct Neighbours {
    std::array<int, 4> positions{};
    std::array<float, 4> weights{};
};

std::vector<Neighbours> neighboursOf(int side, int newSide) {
    const double step = static_cast<double>(side) / newSide;
    std::vector<Neighbours> all(static_cast<std::size_t>(newSide));
    for (int i = 0; i < newSide; ++i) {
        const double position = step * (i + 0.5) - 0.5;
        const double first = std::floor(position);
        Neighbours& own = all[static_cast<std::size_t>(i)];
        own.weights = cubicWeights(static_cast<float>(position - first));
        for (int k = 0; k < 4; ++k)
            own.positions[static_cast<std::size_t>(k)] =
                std::clamp(static_cast<int>(first) + k - 1, 0, side - 1);
    }
    return all;
}

} // namespace

std::array<float, 4> cubicWeights(float t) {
    constexpr float a = -0.75f;
    const auto near = [](float x) { return ((a + 2.0f) * x - (a + 3.0f)) * x * x + 1.0f; };
    const auto far = [](float x) { return ((a * x - 5.0f * a) * x + 8.0f * a) * x - 4.0f * a; };
    return {far(t + 1.0f), near(t), near(1.0f - t), far(2.0f - t)};
}

void resizeGrid(std::span<const float> input, std::span<float> output, int side, int newSide) {
    assert(side >= 1 && newSide >= 1);
    const auto oldRow = static_cast<std::size_t>(side), newRow = static_cast<std::size_t>(newSide);
    const std::size_t channels = input.size() / (oldRow * oldRow);
    assert(input.size() == oldRow * oldRow * channels && output.size() == newRow * newRow * channels);
    const auto neighbours = neighboursOf(side, newSide);
    for (std::size_t y = 0; y < newRow; ++y)
        for (std::size_t x = 0; x < newRow; ++x)
            for (std::size_t c = 0; c < channels; ++c) {
                float sum = 0.0f;
                for (std::size_t j = 0; j < 4; ++j) {
                    const auto row = static_cast<std::size_t>(neighbours[y].positions[j]);
                    float rowSum = 0.0f;
                    for (std::size_t i = 0; i < 4; ++i) {
                        const auto column = static_cast<std::size_t>(neighbours[x].positions[i]);
                        rowSum += neighbours[x].weights[i] * input[(row * oldRow + column) * channels + c];
                    }
                    sum += neighbours[y].weights[j] * rowSum;
                }
                output[(y * newRow + x) * channels + c] = sum;
            }
}

} // namespace earshot::model
