#include "Core/Model/StripStage.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace earshot::model {

namespace {

// Rows of (columns, channels), their columns moved to the left.
void moveColumns(float* values, int rows, int columns, std::int64_t channels, int moved) {
    const auto row = static_cast<std::size_t>(columns * channels);
    const auto gone = static_cast<std::size_t>(moved * channels);
    for (int r = 0; r < rows; ++r, values += row)
        std::memmove(values, values + gone, (row - gone) * sizeof(float));
}

} // namespace

bool StripStage::fits(const Config& config) {
    const int window = config.stageWindow(0);
    return config.patchStride == config.patchSize && !config.absolutePositionEmbedding &&
           config.stageCount() > 1 && config.stageGrid(0) > window && window % 4 == 0;
}

std::int64_t StripStage::tokens(const Config& config) {
    return static_cast<std::int64_t>(config.stageGrid(0)) * config.stageWindow(0);
}

StripStage::Block::Block(const BlockWeights& weights, const Config& config, int columnShift, float* x,
                         const BlockBuffers& buffers)
    : shift(columnShift)
    , inner(WindowLayout::strip(config.stageGrid(0), config.stageWindow(0), shift, false))
    , edge(WindowLayout::strip(config.stageGrid(0), config.stageWindow(0), shift, true))
    , atInner(weights, inner, config.heads.front(), x, buffers)
    , atEdge(weights, edge, config.heads.front(), x, buffers)
    , kept(nullptr) {}

StripStage::StripStage(const NetworkWeights& weights, const Config& config, const BlockBuffers& buffers,
                       float* gathered, float* stream, float* merged)
    : grid_(config.stageGrid(0))
    , window_(config.stageWindow(0))
    , strips_(grid_ / window_)
    , imageColumns_(window_ * config.patchStride)
    , channels_(config.stageDim(0))
    , output_(merged)
    , x_({tokens(config), channels_})
    , reduced_({tokens(config) / 4, 2 * channels_})
    , merged_({grid_ * grid_ / 4, 2 * channels_})
    , embed_(weights, weights.strips->patchProjection, config, x_.data(), buffers.scratch)
    , merging_(weights.strips->merging, grid_, window_, x_.data(), gathered, buffers.normed, reduced_.data(),
               buffers.scratch)
    , fresh_(static_cast<std::size_t>(grid_))
    , next_(fresh_.size()) {
    const auto& all = weights.strips->blocks;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int shift = i % 2 == 1 ? window_ / 2 : 0;
        auto& block =
            *blocks_.emplace_back(std::make_unique<Block>(all[i], config, shift, x_.data(), buffers));
        if (i + 1 == all.size()) {
            block.kept = merged_.data();
        } else if (i == 0) {
            block.kept = stream;
        } else {
            block.own = tensor::Tensor({grid_ * grid_, channels_});
            block.kept = block.own.data();
        }
    }
}

void StripStage::run(std::span<const float> image, int moved) {
    assert(moved >= 1 && moved <= strips_);
    const auto known = fresh_.end() - static_cast<std::ptrdiff_t>(moved) * window_;
    std::fill(fresh_.begin(), known, std::uint8_t{0});
    std::fill(known, fresh_.end(), std::uint8_t{1});
    for (std::size_t i = 0; i < blocks_.size(); ++i) runBlock(i, image, moved);
    std::copy_n(merged_.data(), merged_.size(), output_);
}

void StripStage::runBlock(std::size_t index, std::span<const float> image, int moved) {
    Block& block = *blocks_[index];
    const bool isLast = index + 1 == blocks_.size();
    if (isLast)
        moveColumns(block.kept, grid_ / 2, grid_ / 2, 2 * channels_, moved * window_ / 2);
    else
        moveColumns(block.kept, grid_, grid_, channels_, moved * window_);
    std::ranges::copy(fresh_, next_.begin());
    for (int strip = 0; strip < strips_; ++strip) {
        const int first = strip * window_ + block.shift;
        const bool isEdge = block.shift > 0 && strip + 1 == strips_;
        if (!isEdge && !isFresh(first)) continue;
        if (index == 0)
            embed_.run(image, first);
        else
            load(blocks_[index - 1]->kept, first);
        SwinBlock& swin = isEdge ? block.atEdge : block.atInner;
        swin.normAndQkv();
        swin.attend();
        swin.project();
        swin.mlp();
        if (isLast) {
            merging_.run();
            store(reduced_.data(), block.kept, first / 2, grid_ / 2, 2 * channels_);
        } else {
            store(x_.data(), block.kept, first, grid_, channels_);
        }
        for (int i = 0; i < window_; ++i) next_[static_cast<std::size_t>((first + i) % grid_)] = 1;
    }
    std::swap(fresh_, next_);
}

bool StripStage::isFresh(int firstColumn) const {
    const auto first = fresh_.begin() + firstColumn;
    return std::any_of(first, first + window_, [](std::uint8_t fresh) { return fresh != 0; });
}

// Into x_; behind the last column comes the first.
void StripStage::load(const float* kept, int firstColumn) {
    const int before = std::min(window_, grid_ - firstColumn);
    float* out = x_.data();
    for (int row = 0; row < grid_; ++row, kept += grid_ * channels_) {
        out = std::copy_n(kept + firstColumn * channels_, before * channels_, out);
        out = std::copy_n(kept, (window_ - before) * channels_, out);
    }
}

// The strip's rows are as much narrower than `columns` as a strip is than the grid.
void StripStage::store(const float* strip, float* kept, int firstColumn, int columns,
                       std::int64_t channels) const {
    const int width = columns / strips_;
    const int before = std::min(width, columns - firstColumn);
    const int rows = columns;
    for (int row = 0; row < rows; ++row, strip += width * channels, kept += columns * channels) {
        std::copy_n(strip, before * channels, kept + firstColumn * channels);
        std::copy_n(strip + before * channels, (width - before) * channels, kept);
    }
}

std::size_t StripStage::memoryBytes() const {
    std::size_t bytes = x_.bytes() + reduced_.bytes() + merged_.bytes();
    for (const auto& block : blocks_) bytes += block->own.bytes();
    return bytes;
}

} // namespace earshot::model
