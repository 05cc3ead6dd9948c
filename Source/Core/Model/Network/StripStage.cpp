#include "Core/Model/Network/StripStage.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <tuple>

namespace earshot::model {

namespace {

int stripCount(const Config& config) { return config.stageGrid(0) / config.stageAttentionSide(0); }

// A strip's size in tokens.
struct Extent {
    int rows, columns;
};

Extent extentOf(const Config& config, StripDirection direction) {
    const int grid = config.stageGrid(0), side = config.stageAttentionSide(0);
    return direction == StripDirection::columns ? Extent{grid, side} : Extent{side, grid};
}

AttentionLayout layoutOf(const Config& config, StripDirection direction, bool isShifted, bool edge) {
    const int side = config.stageAttentionSide(0);
    const auto strip =
        direction == StripDirection::columns ? AttentionLayout::columnStrip : AttentionLayout::rowStrip;
    return strip(config.stageGrid(0), side, isShifted ? side / 2 : 0, edge);
}

} // namespace

bool StripStage::fits(const Config& config) {
    const int side = config.stageAttentionSide(0);
    return config.patchStride == config.patchSize && !config.absolutePositionEmbedding &&
           config.stageCount() > 1 && config.stageGrid(0) > side && side % 4 == 0;
}

std::int64_t StripStage::tokens(const Config& config) {
    return static_cast<std::int64_t>(config.stageGrid(0)) * config.stageAttentionSide(0);
}

std::optional<StripPlan> StripStage::planFor(const Config& config, std::int64_t hop, std::int64_t stretch) {
    if (!fits(config)) return {};
    const std::int64_t strips = stripCount(config);
    const std::int64_t segment = config.imageSize; // frames in a row of the image
    // In `period` frames of hops an image moves by `stripsOfPeriod` strips or a multiple of them.
    struct Choice {
        std::int64_t computed; // strips of an image
        StripPlan plan;
    };
    const auto choiceOf = [&](StripDirection direction, std::int64_t period, std::int64_t stripsOfPeriod) {
        const auto common = std::gcd(hop, period);
        const auto phases = period / common;
        if (phases > maxPhases) return Choice{strips, {direction, 1}};
        return Choice{std::min(hop / common * stripsOfPeriod, strips), {direction, static_cast<int>(phases)}};
    };
    auto best = choiceOf(StripDirection::columns, segment / strips, 1);
    if (strips % config.timeSegments() == 0) {
        const auto stripsOfSegment = strips / config.timeSegments();
        const auto rows = stretch == segment ? Choice{stripsOfSegment, {StripDirection::rows, 1}}
                                             : choiceOf(StripDirection::rows, segment, stripsOfSegment);
        const auto cost = [](const Choice& choice) {
            return std::tuple(choice.computed, choice.plan.phases);
        };
        if (cost(rows) < cost(best)) best = rows;
    }
    // A shifted block computes one strip more than the block before it.
    if (best.computed + 1 >= strips) return {};
    return best.plan;
}

StripStage::Block::Block(const BlockWeights& weights, const Config& config, StripPlan plan, bool isShifted,
                         float* x, const BlockBuffers& buffers)
    : shifted(isShifted)
    , inner(layoutOf(config, plan.direction, shifted, false))
    , edge(layoutOf(config, plan.direction, shifted, true))
    , atInner(weights, inner, config.heads.front(), x, buffers)
    , atEdge(weights, edge, config.heads.front(), x, buffers)
    , kept(static_cast<std::size_t>(stripCount(config) * plan.phases))
    , now(static_cast<std::size_t>(stripCount(config))) {}

StripStage::StripStage(const NetworkWeights& weights, const Config& config, StripPlan plan,
                       const BlockBuffers& buffers, float* gathered, float* stream, float* merged)
    : plan_(plan)
    , strips_(static_cast<std::size_t>(stripCount(config)))
    , places_(strips_ * static_cast<std::size_t>(plan.phases))
    , imageSize_(static_cast<std::size_t>(config.imageSize))
    , side_(config.stageAttentionSide(0))
    , output_(merged)
    , x_({tokens(config), config.stageDim(0)})
    , reduced_({tokens(config) / 4, 2 * config.stageDim(0)})
    , pixels_({plan.phases, config.imageSize, config.imageSize})
    , embed_(weights, weights.strips->patchProjection, config, extentOf(config, plan.direction).columns,
             x_.data(), buffers.scratch)
    , merging_(weights.strips->merging, extentOf(config, plan.direction).rows,
               extentOf(config, plan.direction).columns, x_.data(), gathered, buffers.normed, reduced_.data(),
               buffers.scratch) {
    const auto linesOf = [&](std::size_t values, int height) -> Lines {
        const auto count = plan_.direction == StripDirection::columns ? static_cast<std::size_t>(height) : 1;
        return {count, values / count};
    };
    tokenLines_ = linesOf(x_.size(), config.stageGrid(0));
    mergedLines_ = linesOf(reduced_.size(), config.stageGrid(0) / 2);
    pixelLines_ = linesOf(pixels_.size() / places_, config.imageSize);
    const auto& all = weights.strips->blocks;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& block = *blocks_.emplace_back(
            std::make_unique<Block>(all[i], config, plan, i % 2 == 1, x_.data(), buffers));
        const bool isLast = i + 1 == all.size();
        if (isLast || i > 0 || plan.phases > 1) { // the stream has room for one image's strips
            const auto strip = isLast ? mergedLines_.values() : tokenLines_.values();
            block.own = tensor::Tensor({static_cast<std::int64_t>(places_ * strip)});
        }
        block.values = block.own.empty() ? stream : block.own.data();
    }
}

void StripStage::run(std::span<const float> image) {
    assert(image.size() == imageSize_ * imageSize_);
    computed_ = 0;
    ++image_;
    for (std::size_t i = 0; i < blocks_.size(); ++i) runBlock(i, image);
    handOn();
}

// It is enough to drop the first block's results, because later blocks identify their inputs by number.
void StripStage::forget() {
    for (auto& kept : blocks_.front()->kept) kept.number = 0;
}

// Looks up every reusable strip first, so that a new result never overwrites one that this image still needs.
// It takes the place of the result that was not needed for longest.
void StripStage::runBlock(std::size_t index, std::span<const float> image) {
    Block& block = *blocks_[index];
    const std::size_t nowhere = places_;
    const auto use = [&](std::size_t strip, std::size_t place) {
        block.now[strip] = place;
        block.kept[place].image = image_;
    };
    for (std::size_t strip = 0; strip < strips_; ++strip) {
        block.now[strip] = nowhere;
        if (const auto place = find(index, strip, image)) use(strip, *place);
    }
    for (std::size_t strip = 0; strip < strips_; ++strip) {
        if (block.now[strip] != nowhere) continue;
        auto place = find(index, strip, image); // this loop may have computed an equal strip
        if (!place) {
            const auto oldest = std::ranges::min_element(block.kept, {}, &Kept::image);
            place = static_cast<std::size_t>(oldest - block.kept.begin());
            compute(index, strip, *place, image);
        }
        use(strip, *place);
    }
}

std::optional<std::size_t> StripStage::find(std::size_t index, std::size_t strip,
                                            std::span<const float> image) const {
    const auto& kept = blocks_[index]->kept;
    const auto source = index > 0 ? sourceOf(index, strip) : Source();
    for (std::size_t place = 0; place < places_; ++place) {
        if (kept[place].number == 0) continue;
        if (index > 0 ? kept[place].source == source : hasPixels(place, strip, image)) return place;
    }
    return {};
}

void StripStage::compute(std::size_t index, std::size_t strip, std::size_t place,
                         std::span<const float> image) {
    Block& block = *blocks_[index];
    Kept& kept = block.kept[place];
    kept.number = 0; // no result until it is computed
    if (index == 0) {
        const int first = static_cast<int>(strip) * side_;
        const bool columns = plan_.direction == StripDirection::columns;
        embed_.run(image, columns ? 0 : first, columns ? first : 0);
        keepPixels(place, strip, image);
    } else {
        kept.source = sourceOf(index, strip);
        load(index, strip);
    }
    SwinBlock& swin = isEdge(block, strip) ? block.atEdge : block.atInner;
    swin.normAndQkv();
    swin.attend();
    swin.project();
    swin.mlp();
    const bool isLast = index + 1 == blocks_.size();
    if (isLast) merging_.run();
    const auto& result = isLast ? reduced_ : x_;
    std::ranges::copy(result.values(), block.values + place * result.size());
    kept.number = ++lastNumber_;
    ++computed_;
}

// A shifted block reads a strip and the next one. The block without shift after it reads the previous strip
// and the same one.
StripStage::Source StripStage::sourceOf(std::size_t index, std::size_t strip) const {
    const Block& block = *blocks_[index];
    const Block& before = *blocks_[index - 1];
    const auto first = block.shifted ? strip : (strip + strips_ - 1) % strips_;
    const auto numberOf = [&](std::size_t s) { return before.kept[before.now[s]].number; };
    return {numberOf(first), numberOf((first + 1) % strips_), isEdge(block, strip)};
}

bool StripStage::hasPixels(std::size_t place, std::size_t strip, std::span<const float> image) const {
    const float* const kept = pixels_.data() + place * pixelLines_.values();
    const float* const wanted = image.data() + strip * pixelLines_.length;
    for (std::size_t line = 0; line < pixelLines_.count; ++line)
        if (std::memcmp(kept + line * pixelLines_.length, wanted + line * imageSize_,
                        pixelLines_.length * sizeof(float)) != 0)
            return false;
    return true;
}

void StripStage::keepPixels(std::size_t place, std::size_t strip, std::span<const float> image) {
    float* const kept = pixels_.data() + place * pixelLines_.values();
    const float* const wanted = image.data() + strip * pixelLines_.length;
    for (std::size_t line = 0; line < pixelLines_.count; ++line)
        std::copy_n(wanted + line * imageSize_, pixelLines_.length, kept + line * pixelLines_.length);
}

// Fills x_ with the second half of one strip and the first half of the next.
void StripStage::load(std::size_t index, std::size_t strip) {
    const Block& before = *blocks_[index - 1];
    const auto first = blocks_[index]->shifted ? strip : (strip + strips_ - 1) % strips_;
    const auto valuesOf = [&](std::size_t s) { return before.values + before.now[s] * tokenLines_.values(); };
    const float* left = valuesOf(first);
    const float* right = valuesOf((first + 1) % strips_);
    const auto half = tokenLines_.length / 2;
    float* out = x_.data();
    for (std::size_t line = 0; line < tokenLines_.count; ++line) {
        out = std::copy_n(left + half, half, out);
        out = std::copy_n(right, half, out);
        left += tokenLines_.length;
        right += tokenLines_.length;
    }
}

// Copies the merged strips to the next stage's input. The part of a shifted strip past the right (or bottom)
// edge wraps to the left (or top).
void StripStage::handOn() {
    const Block& last = *blocks_.back();
    const auto length = mergedLines_.length, row = strips_ * length;
    for (std::size_t strip = 0; strip < strips_; ++strip) {
        const float* from = last.values + last.now[strip] * mergedLines_.values();
        const auto begin = strip * length + (last.shifted ? length / 2 : 0);
        const auto inside = std::min(length, row - begin);
        for (std::size_t line = 0; line < mergedLines_.count; ++line, from += length) {
            std::copy_n(from, inside, output_ + line * row + begin);
            std::copy_n(from + inside, length - inside, output_ + line * row);
        }
    }
}

std::size_t StripStage::memoryBytes() const {
    std::size_t bytes = x_.bytes() + reduced_.bytes() + pixels_.bytes();
    for (const auto& block : blocks_) bytes += block->own.bytes();
    return bytes;
}

} // namespace earshot::model
