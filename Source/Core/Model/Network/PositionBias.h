// The biases by relative position that attention adds to its scores. A table, ((2 side - 1)^2, heads), holds
// the values of each distance (rows, columns) of a query from a key in an attention window of `side` tokens a
// side (Liu et al. 2021, section 3.2). In V2 a small network computes it (Liu et al. 2022, section 3.3, with
// the bound of the published implementation). Pure functions: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::model {

// For each query and key of an attention window, the row of the table: (side^2, side^2).
std::vector<std::int32_t> positionRows(int side);

// The network's inputs along one side, log-spaced: (2 side - 1), log2(9) / log2(8) at the reach of the
// attention window of `pretrainedSide` tokens (above 1) for which it was trained.
std::vector<float> logDistances(int side, int pretrainedSide);

struct BiasNetwork {
    std::span<const float> hidden;     // (width, 2): of the distances in rows and in columns
    std::span<const float> hiddenBias; // (width)
    std::span<const float> result;     // (heads, width)

    static constexpr float bound = 16.0f;
    // values (width): relu(hidden (row distance, column distance) + hiddenBias)
    void runHidden(float rowDistance, float columnDistance, std::span<float> values) const;
    // table = bound * sigmoid(result * hidden values) for each pair of distances: ((2 side - 1)^2, heads)
    void run(std::span<const float> distances, std::span<float> table) const;
};

} // namespace earshot::model
