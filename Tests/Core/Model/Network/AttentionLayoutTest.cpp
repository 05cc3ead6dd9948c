#include "Core/Model/Network/WindowAttention.h"

#include "Core/Tensor/Kernels.h"
#include "Support/Catch.h"

#include <array>
#include <set>

using namespace earshot;
using model::AttentionLayout;

namespace {

// Region labels of the shifted grid as the Swin reference paints them: cuts at -side and -shift.
int regionLabel(int row, int column, int grid, int side, int shift) {
    const auto part = [&](int x) { return x < grid - side ? 0 : x < grid - shift ? 1 : 2; };
    return part(row) * 3 + part(column);
}

} // namespace

TEST_CASE("attention windows follow the roll of the grid and its mask", "[unit]") {
    for (const auto [grid, side, shift] :
         {std::array<int, 3>{8, 8, 0}, {16, 8, 0}, {16, 8, 4}, {64, 8, 4}, {12, 4, 2}, {9, 3, 1}}) {
        const AttentionLayout layout(grid, side, shift);
        const int perSide = grid / side, tokens = side * side;
        REQUIRE(layout.count() == perSide * perSide);
        REQUIRE(layout.tokens() == tokens);
        std::set<int> seen;
        for (int w = 0; w < layout.count(); ++w) {
            const auto rows = layout.rows(w);
            const float* mask = layout.mask(w);
            const int top = w / perSide * side, left = w % perSide * side;
            for (int t = 0; t < tokens; ++t) {
                const int row = top + t / side, column = left + t % side; // in the shifted grid
                seen.insert(rows[static_cast<std::size_t>(t)]);
                REQUIRE(rows[static_cast<std::size_t>(t)] ==
                        (row + shift) % grid * grid + (column + shift) % grid);
                for (int u = 0; u < tokens; ++u) {
                    const bool apart =
                        shift > 0 && regionLabel(row, column, grid, side, shift) !=
                                         regionLabel(top + u / side, left + u % side, grid, side, shift);
                    const float found = mask == nullptr ? 0.0f : mask[t * tensor::paddedTokens(tokens) + u];
                    if (found != (apart ? -100.0f : 0.0f))
                        FAIL("attention window " << w << ", tokens " << t << " and " << u);
                }
            }
        }
        REQUIRE(static_cast<int>(seen.size()) == grid * grid);
    }
}
