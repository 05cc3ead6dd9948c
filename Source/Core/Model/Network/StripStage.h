// The encoder's first stage, from the image to what its merging hands on, one strip of attention windows at a
// time: what was found for a strip is kept, and is the result again wherever the same pixels come back, in
// the next image or in another place of the same one. So windows of audio that overlap share the work: those
// that advance by a part of an image row move the image's columns, those that advance by a whole one (2.56 s)
// its rows, and audio tiled to a window repeats them.
//
// Results are those of the whole stage, up to float32's rounding where products of fewer rows round
// otherwise; and the same to the bit whether a strip is kept or computed.
//
// A block without shift sees each strip alone; a shifted one reaches half a strip further, and two sides of
// the image meet in its last strip. So of 8 strips, after a move by one, a block computes 1 and the shifted
// one behind it 2; after a move by two, 2 and 3.
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
    rows,    // as wide, one below the other
};

class StripStage {
  public:
    // Whether the first stage of a network can be taken apart so: its patches do not overlap, do not know
    // where they are, and fall into several strips; and there is a stage behind it.
    static bool fits(const Config& config);
    // Tokens of a strip.
    static std::int64_t tokens(const Config& config);
    // For windows that advance by `hop` frames and tile `stretch` of them; none where the stage does not fit
    // or so little comes back that it does not pay.
    static std::optional<StripDirection> directionFor(const Config& config, std::int64_t hop,
                                                      std::int64_t stretch);

    // stream: (grid * grid, C), where the first block's results are kept: forget() once another has written
    // there. merged: (grid * grid / 4, 2C), the results. gathered: as PatchMerging's. All references outlive
    // this object.
    StripStage(const NetworkWeights& weights, const Config& config, StripDirection direction,
               const BlockBuffers& buffers, float* gathered, float* stream, float* merged);

    StripDirection direction() const { return direction_; }
    // image: (imageSize, imageSize)
    void run(std::span<const float> image);
    void forget();
    // Strips that the last run computed, over all blocks; most: depth * strips.
    int computed() const { return computed_; }
    std::size_t memoryBytes() const;

  private:
    // What a block's strip was computed from: two results of the block before it, known by their numbers.
    struct Source {
        std::uint64_t first = 0, second = 0;
        bool edge = false;
        bool operator==(const Source&) const = default;
    };
    struct Kept {
        Source source;            // the first block has pixels_ instead
        std::uint64_t number = 0; // of this result, never given twice; 0: there is none
    };
    struct Block {
        bool shifted;
        AttentionLayout inner, edge;
        SwinBlock atInner, atEdge;
        tensor::Tensor own;           // room for what is kept, where there is no other
        float* values = nullptr;      // (strips, tokens, C), of the last block (strips, tokens / 4, 2C)
        std::vector<Kept> kept;       // (strips)
        std::vector<std::size_t> now; // (strips) where among those kept the image's strips are

        Block(const BlockWeights& weights, const Config& config, StripDirection direction, bool isShifted,
              float* x, const BlockBuffers& buffers);
    };
    // How a strip's values lie in memory, so that halves of lines are halves of the strip.
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

    StripDirection direction_;
    std::size_t strips_, imageSize_;
    int side_; // tokens that a strip is wide or high
    Lines tokenLines_, mergedLines_, pixelLines_;
    float* output_;
    tensor::Tensor x_;       // (tokens, C): a strip's residual stream
    tensor::Tensor reduced_; // (tokens / 4, 2C): of a strip
    tensor::Tensor pixels_;  // (strips, pixels of one): what the first block's results are of
    PatchEmbed embed_;
    std::vector<std::unique_ptr<Block>> blocks_;
    PatchMerging merging_;
    std::vector<std::uint8_t> needed_; // (strips) of those kept, by the image at hand
    std::uint64_t lastNumber_ = 0;
    int computed_ = 0;
};

} // namespace earshot::model
