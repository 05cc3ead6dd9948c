// Self-attention inside the windows of a grid. Reads queries, keys and values where the linear layer left
// them and writes each token back to its own row: partition, shift and their reversal are index maps.
// One thread at a time (it splits the work itself); allocates only when the thread count grows.
#pragma once

#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::model {

// How a stage's square grid of tokens falls into attention windows, with or without the cyclic shift of
// every second block: index maps, so that no token is ever moved (Liu et al. 2021, "Swin Transformer").
// Immutable: any thread.
class WindowLayout {
  public:
    // grid: tokens a side, a multiple of window; shift: 0, or less than window.
    WindowLayout(int grid, int window, int shift);
    // One column of those windows, of which only the tokens are there: (grid, window), its columns in the
    // order of the shifted grid; or one row, (window, grid). edge: the last one, where the shift brings both
    // sides together.
    static WindowLayout columnStrip(int grid, int window, int shift, bool edge);
    static WindowLayout rowStrip(int grid, int window, int shift, bool edge);

    int windowCount() const { return windowCount_; }
    int tokensPerWindow() const { return tokens_; }

    // Rows (of the grid, row-major) of a window's tokens:
    // token (y, x) of the shifted grid is ((y + shift) mod grid, (x + shift) mod grid) of the grid.
    std::span<const std::int32_t> rows(int window) const;
    // (tokens, paddedWindow(tokens)): -100 between tokens that the shift brought together from different
    // regions, else 0; null for a window that lies in one region.
    const float* mask(int window) const;

  private:
    // Of tokens in `rows` of `columns`; windows at the bottom or right edge are of two regions.
    struct Place {
        int rows, columns;
        int row, column; // of the window
        int rowShift, columnShift;
        bool bottom, right;
    };

    explicit WindowLayout(int window);
    void add(const Place& place);
    void makeMasks(int shift);

    int window_;
    int tokens_;
    int windowCount_ = 0;
    std::vector<std::int32_t> rows_;     // (windows, tokens)
    std::vector<std::uint8_t> maskKind_; // (windows): 0 none, 1 bottom edge, 2 right edge, 3 corner
    tensor::Tensor masks_;               // (3, tokens, padded)
};

class WindowAttention {
  public:
    // number: of what it reads and writes
    WindowAttention(const WindowLayout& layout, int channels, int heads, tensor::Number number);

    // qkv: (tokens, 3 * channels), output: (tokens, channels), positionBias: BlockWeights::positionBias.
    void run(const void* qkv, const tensor::Tensor& positionBias, void* output);

  private:
    template <typename Value>
    void attend(const Value* qkv, const float* positionBias, Value* output);
    float* scratchOf(int thread) {
        return scratch_.data() + static_cast<std::size_t>(thread) * scratchPerThread_;
    }

    const WindowLayout& layout_;
    int channels_;
    int heads_;
    int headDim_; // channels of one
    tensor::Number number_;
    float scale_;                  // of scores
    std::size_t scratchPerThread_; // floats
    tensor::Tensor scratch_;
};

} // namespace earshot::model
