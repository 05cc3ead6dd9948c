#include "Core/Model/WindowLayout.h"

#include "Core/Tensor/Kernels.h"

#include <cassert>

namespace earshot::model {

namespace {

constexpr float maskedScore = -100.0f;
constexpr int bottomEdge = 1;
constexpr int rightEdge = 2;

} // namespace

WindowLayout::WindowLayout(int grid, int window, int shift)
    : windowCount_((grid / window) * (grid / window))
    , tokens_(window * window) {
    assert(grid % window == 0 && shift >= 0 && shift < window);
    const int windowsASide = grid / window;
    for (int windowRow = 0; windowRow < windowsASide; ++windowRow)
        for (int windowColumn = 0; windowColumn < windowsASide; ++windowColumn) {
            for (int token = 0; token < tokens_; ++token) {
                const int row = (windowRow * window + token / window + shift) % grid;
                const int column = (windowColumn * window + token % window + shift) % grid;
                rows_.push_back(row * grid + column);
            }
            int kind = 0;
            if (shift > 0 && windowRow == windowsASide - 1) kind |= bottomEdge;
            if (shift > 0 && windowColumn == windowsASide - 1) kind |= rightEdge;
            maskKind_.push_back(static_cast<std::uint8_t>(kind));
        }
    if (shift == 0) return;

    // In a window at the edge, tokens past the cut came around from the other side of the grid.
    const int padded = tensor::paddedWindow(tokens_);
    const int cut = window - shift;
    masks_ = tensor::Tensor({3, tokens_, padded});
    for (int kind = bottomEdge; kind <= (bottomEdge | rightEdge); ++kind)
        for (int query = 0; query < tokens_; ++query)
            for (int key = 0; key < tokens_; ++key) {
                const bool rowsApart = (query / window < cut) != (key / window < cut);
                const bool columnsApart = (query % window < cut) != (key % window < cut);
                const bool apart = ((kind & bottomEdge) && rowsApart) || ((kind & rightEdge) && columnsApart);
                masks_.data()[((kind - 1) * tokens_ + query) * padded + key] = apart ? maskedScore : 0.0f;
            }
}

std::span<const std::int32_t> WindowLayout::rows(int window) const {
    return {rows_.data() + static_cast<std::ptrdiff_t>(window) * tokens_, static_cast<std::size_t>(tokens_)};
}

const float* WindowLayout::mask(int window) const {
    const int kind = maskKind_[static_cast<std::size_t>(window)];
    if (kind == 0) return nullptr;
    return masks_.data() + static_cast<std::ptrdiff_t>(kind - 1) * tokens_ * tensor::paddedWindow(tokens_);
}

} // namespace earshot::model
