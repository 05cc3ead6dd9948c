// Self-attention inside the attention windows of a grid. It reads queries, keys and values where the linear
// layer wrote them, and writes each token to its own row; index maps replace partition, shift and reversal.
// One thread at a time (it splits the work itself); allocates only when the thread count grows.
#pragma once

#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::model {

// How a stage's square grid of tokens is divided into attention windows, with or without the cyclic shift of
// every second block (Liu et al. 2021, "Swin Transformer"). Index maps describe the division, so that no
// token is ever moved. Immutable: any thread.
class AttentionLayout {
  public:
    // grid: tokens a side, a multiple of `side`; side: tokens a side of an attention window; shift: 0, or
    // less than `side`.
    AttentionLayout(int grid, int side, int shift);
    // The layout of one strip alone. A column strip has (grid, side) tokens, with its columns in the order of
    // the shifted grid; a row strip has (side, grid) tokens, with its rows in that order. edge: it is the
    // last strip, where the shift joins both sides of the grid.
    static AttentionLayout columnStrip(int grid, int side, int shift, bool edge);
    static AttentionLayout rowStrip(int grid, int side, int shift, bool edge);

    int count() const { return count_; }   // attention windows
    int tokens() const { return tokens_; } // of one attention window

    // Row-major indices in the grid of one attention window's tokens: token (y, x) of the shifted grid is
    // token ((y + shift) mod grid, (x + shift) mod grid) of the grid.
    std::span<const std::int32_t> rows(int index) const;
    // (tokens, paddedTokens(tokens)): -100 between tokens that the shift brought together from different
    // regions, else 0; null for an attention window that lies in one region.
    const float* mask(int index) const;

  private:
    // The position of an attention window in a grid of (rows, columns) tokens. If shifted, it spans two
    // regions at the bottom and at the right edge.
    struct Place {
        int rows, columns;
        int row, column; // of the attention window
        int rowShift, columnShift;
        bool bottom, right;
    };

    explicit AttentionLayout(int side);
    void add(const Place& place);
    void makeMasks(int shift);

    int side_;
    int tokens_;
    int count_ = 0;
    std::vector<std::int32_t> rows_;     // (count, tokens)
    std::vector<std::uint8_t> maskKind_; // (count): 0 none, 1 bottom edge, 2 right edge, 3 corner
    tensor::Tensor masks_;               // (3, tokens, padded)
};

class WindowAttention {
  public:
    // number: the type of queries, keys, values and output
    WindowAttention(const AttentionLayout& layout, int channels, int heads, tensor::Number number);

    // qkv: (tokens, 3 * channels), output: (tokens, channels). positionBias, scoreScale: as in BlockWeights.
    // With scoreScale, scores are cosines, and queries and keys are normalised where they lie.
    void run(void* qkv, const tensor::Tensor& positionBias, const tensor::Tensor& scoreScale, void* output);

  private:
    template <typename Value>
    void attend(Value* qkv, const float* positionBias, const float* scoreScale, Value* output);
    float* scratchOf(int thread) {
        return scratch_.data() + static_cast<std::size_t>(thread) * scratchPerThread_;
    }

    const AttentionLayout& layout_;
    int channels_;
    int heads_;
    int headDim_; // channels of one head
    tensor::Number number_;
    float scale_;                  // of scores
    std::size_t scratchPerThread_; // floats
    tensor::Tensor scratch_;
};

} // namespace earshot::model
