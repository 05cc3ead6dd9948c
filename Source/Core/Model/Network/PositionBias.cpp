#include "Core/Model/Network/PositionBias.h"

#include "Core/Tensor/Dot.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::model {

std::vector<std::int32_t> positionRows(int side) {
    const int tokens = side * side;
    std::vector<std::int32_t> rows;
    rows.reserve(static_cast<std::size_t>(tokens) * static_cast<std::size_t>(tokens));
    for (int query = 0; query < tokens; ++query)
        for (int key = 0; key < tokens; ++key) {
            const int rowDistance = query / side - key / side + side - 1;
            const int columnDistance = query % side - key % side + side - 1;
            rows.push_back(rowDistance * (2 * side - 1) + columnDistance);
        }
    return rows;
}

std::vector<float> logDistances(int side, int pretrainedSide) {
    std::vector<float> distances;
    for (int d = 1 - side; d < side; ++d) {
        const double scaled = 8.0 * d / (pretrainedSide - 1);
        distances.push_back(
            static_cast<float>(std::copysign(std::log2(std::abs(scaled) + 1.0) / 3.0, scaled)));
    }
    return distances;
}

void BiasNetwork::runHidden(float rowDistance, float columnDistance, std::span<float> values) const {
    assert(values.size() == hiddenBias.size() && hidden.size() == 2 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] =
            std::max(hidden[2 * i] * rowDistance + hidden[2 * i + 1] * columnDistance + hiddenBias[i], 0.0f);
}

void BiasNetwork::run(std::span<const float> distances, std::span<float> table) const {
    std::vector<float> values(hiddenBias.size());
    auto out = table.begin();
    for (const float row : distances)
        for (const float column : distances) {
            runHidden(row, column, values);
            for (auto weights = result; !weights.empty(); weights = weights.subspan(values.size())) {
                const double sum = tensor::dot(values, weights.first(values.size()));
                *out++ = static_cast<float>(bound / (1.0 + std::exp(-sum)));
            }
        }
    assert(out == table.end());
}

} // namespace earshot::model
