// The encoder's first stage, from the image to what its merging hands on, for windows of audio that follow
// one another: what was found for image columns that only moved is kept, and the rest computed anew, one
// strip (a column of attention windows) at a time. The results are those of the whole stage, up to float32's
// rounding where products of fewer rows round otherwise.
//
// A block without shift sees each strip alone; a shifted one reaches half a strip further on each side, and
// the two sides of the image meet in its last strip. So of 8 strips, after a move by one, a block computes 1
// and the next, shifted one 2.
//
// One thread at a time; run() allocates only when the thread count grows.
#pragma once

#include "Core/Model/NetworkWeights.h"
#include "Core/Model/PatchEmbed.h"
#include "Core/Model/PatchMerging.h"
#include "Core/Model/SwinBlock.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::model {

class StripStage {
  public:
    // Whether the first stage of a network can be taken apart so: its patches do not overlap, do not know
    // where they are, and fall into several strips; and there is a stage behind it.
    static bool fits(const Config& config);
    // Of a strip.
    static std::int64_t tokens(const Config& config);

    // stream: (grid * grid, C), where the first block's results are kept: run() must be told that everything
    // is new once another has written there. merged: (grid * grid / 4, 2C), the results. gathered: as
    // PatchMerging's. All references outlive this object.
    StripStage(const NetworkWeights& weights, const Config& config, const BlockBuffers& buffers,
               float* gathered, float* stream, float* merged);

    int strips() const { return strips_; }
    int imageColumns() const { return imageColumns_; } // of a strip
    // image: (imageSize, imageSize), the last run's moved to the left by so many strips (at least 1); with
    // strips(), everything is new.
    void run(std::span<const float> image, int moved);
    std::size_t memoryBytes() const;

  private:
    struct Block {
        int shift;
        WindowLayout inner, edge;
        SwinBlock atInner, atEdge;
        tensor::Tensor own; // (grid * grid, C) kept results; empty for the first and the last block
        float* kept;        // (grid * grid, C), or of the last block what is merged

        Block(const BlockWeights& weights, const Config& config, int shift, float* x,
              const BlockBuffers& buffers);
    };

    void runBlock(std::size_t index, std::span<const float> image, int moved);
    bool isFresh(int firstColumn) const;
    void load(const float* kept, int firstColumn);
    void store(const float* strip, float* kept, int firstColumn, int columns, std::int64_t channels) const;

    int grid_, window_, strips_, imageColumns_;
    std::int64_t channels_;
    float* output_;
    tensor::Tensor x_;       // (grid, window, C): a strip's residual stream
    tensor::Tensor reduced_; // (grid / 2, window / 2, 2C): of a strip
    tensor::Tensor merged_;  // (grid / 2, grid / 2, 2C), kept
    PatchEmbed embed_;
    std::vector<std::unique_ptr<Block>> blocks_;
    PatchMerging merging_;
    std::vector<std::uint8_t> fresh_; // (grid) columns that are not what they were, moved
    std::vector<std::uint8_t> next_;  // likewise behind the block that runs
};

} // namespace earshot::model
