// Computes the encoder's first stage, from the image to the merging's output, one strip of attention windows
// at a time. The stage keeps each strip's result and reuses it where the same pixels come back: in one of the
// next images or elsewhere in the same one. Overlapping windows thus share work: a hop of a part of an image
// row moves the image's columns, a hop of a whole row (2.56 s) moves its rows, and a tiled stretch repeats
// them. If a hop is no whole number of strips, images come back to the same strips after a few hops: with
// strips of 0.32 s and a hop of 0.08 s every fourth image has moved by one strip, and the stage keeps the
// results of four.
//
// Results equal those of the whole stage up to float32 rounding, because products of fewer rows may round
// differently. They are the same to the bit whether a strip is reused or computed.
//
// A block without shift reads one strip of the image for each result. A shifted block reads half a strip
// further, and its last strip joins two sides of the image. If 8 strips move by one, the first block computes
// 1 strip and the shifted block after it 2; if they move by two, the blocks compute 2 and 3.
//
// One thread at a time; run() allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Network/PatchEmbed.h"
#include "Core/Model/Network/PatchMerging.h"
#include "Core/Model/Network/SwinBlock.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace earshot::model {

enum class StripDirection {
    columns, // strips as high as the image, side by side
    rows,    // strips as wide as the image, one below the other
};

// How a first stage comes apart for windows at a steady hop.
struct StripPlan {
    StripDirection direction = StripDirection::columns;
    int phases = 1; // images from one to the next that has moved by whole strips
    bool operator==(const StripPlan&) const = default;
};

class StripStage {
  public:
    static constexpr int maxPhases = 4; // memory grows with them
    // Whether a network's first stage can be computed in strips: its patches do not overlap, have no position
    // embedding and form several strips, a strip is a multiple of 4 tokens across, and another stage follows.
    static bool fits(const Config& config);
    // Tokens of a strip.
    static std::int64_t tokens(const Config& config);
    // Returns the plan that reuses most for windows that advance by `hop` frames and tile a stretch of
    // `stretch` frames; none where the stage does not fit or too little comes back to save work.
    static std::optional<StripPlan> planFor(const Config& config, std::int64_t hop, std::int64_t stretch);

    // stream: (grid * grid, C), may keep the first block's results; call forget() after other code wrote
    // there. merged: (grid * grid / 4, 2C), receives the stage's results. gathered: as PatchMerging's. All
    // references outlive this object.
    StripStage(const NetworkWeights& weights, const Config& config, StripPlan plan,
               const BlockBuffers& buffers, float* gathered, float* stream, float* merged);

    StripPlan plan() const { return plan_; }
    // image: (imageSize, imageSize)
    void run(std::span<const float> image);
    // Makes the next run() reuse no earlier result.
    void forget();
    // Strips that the last run computed, summed over all blocks; at most depth * strips.
    int computed() const { return computed_; }
    std::size_t memoryBytes() const;

  private:
    // The input of a block's strip: two results of the block before it, identified by their numbers.
    struct Source {
        std::uint64_t first = 0, second = 0;
        bool edge = false; // the strip joins two sides of the image
        bool operator==(const Source&) const = default;
    };
    struct Kept {
        Source source;            // not used by the first block, whose inputs are in pixels_
        std::uint64_t number = 0; // identifies this result, never used twice; 0: no result
        std::uint64_t image = 0;  // the last one that needed it, by number
    };
    struct Block {
        bool shifted;
        AttentionLayout inner, edge;
        SwinBlock atInner, atEdge;
        tensor::Tensor own;           // memory of `values`; empty where they lie in the stream
        float* values = nullptr;      // (places, tokens, C); in the last block (places, tokens / 4, 2C)
        std::vector<Kept> kept;       // (places)
        std::vector<std::size_t> now; // (strips): for each strip of the image its index in `kept`

        Block(const BlockWeights& weights, const Config& config, StripPlan plan, bool isShifted, float* x,
              const BlockBuffers& buffers);
    };
    // A strip's values as lines in memory: the first halves of all lines are the strip's first half.
    struct Lines {
        std::size_t count, length;
        std::size_t values() const { return count * length; }
    };

    void runBlock(std::size_t index, std::span<const float> image);
    std::optional<std::size_t> find(std::size_t index, std::size_t strip, std::span<const float> image) const;
    void compute(std::size_t index, std::size_t strip, std::size_t place, std::span<const float> image);
    Source sourceOf(std::size_t index, std::size_t strip) const;
    bool isEdge(const Block& block, std::size_t strip) const { return block.shifted && strip + 1 == strips_; }
    bool hasPixels(std::size_t place, std::size_t strip, std::span<const float> image) const;
    void keepPixels(std::size_t place, std::size_t strip, std::span<const float> image);
    void load(std::size_t index, std::size_t strip);
    void handOn();

    StripPlan plan_;
    std::size_t strips_; // of an image
    std::size_t places_; // for results: strips times phases
    std::size_t imageSize_;
    int side_; // tokens across a strip
    Lines tokenLines_, mergedLines_, pixelLines_;
    float* output_;
    tensor::Tensor x_;       // (tokens, C): a strip's residual stream
    tensor::Tensor reduced_; // (tokens / 4, 2C): a strip after the merging
    tensor::Tensor pixels_;  // (places, pixels of a strip): inputs of the first block's kept results
    PatchEmbed embed_;
    std::vector<std::unique_ptr<Block>> blocks_;
    PatchMerging merging_;
    std::uint64_t image_ = 0; // number of the current image
    std::uint64_t lastNumber_ = 0;
    int computed_ = 0;
};

} // namespace earshot::model
