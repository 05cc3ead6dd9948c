#include "Core/Detection/Timeline.h"

#include "Core/Base/Float16.h"
#include "Core/Base/Generation.h"

#include <algorithm>
#include <cassert>

namespace earshot::detection {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

std::int64_t chunkBegin(std::int64_t column) {
    return column / Timeline::columnsPerChunk * Timeline::columnsPerChunk;
}

} // namespace

Timeline::Timeline(int classes, double secondsPerColumn)
    : classes_(classes)
    , secondsPerColumn_(secondsPerColumn)
    , generation_(nextGeneration()) {
    assert(classes >= 1 && secondsPerColumn > 0.0);
}

bool Timeline::copySince(Timeline& mirror) const {
    if (mirror.generation_ == generation_) {
        if (mirror.revision_ == revision_ && mirror.forgotten_ == forgotten_ && mirror.rounded_ == rounded_)
            return false;
        mirror.dropChunks(forgotten_);
    }
    continueIn(mirror);
    for (auto begin = std::max(mirror.rounded_, forgotten_); begin < rounded_; begin += columnsPerChunk)
        mirror.chunkOf(begin) = chunkOf(begin);
    mirror.rounded_ = rounded_;
    return true;
}

void Timeline::continueIn(Timeline& kept) const {
    if (kept.generation_ != generation_) {
        kept.chunks_.clear();
        kept.settled_ = 0;
        kept.forgotten_ = forgotten_;
        kept.rounded_ = forgotten_;
    } else if (kept.revision_ == revision_) {
        return;
    }
    kept.classes_ = classes_;
    kept.secondsPerColumn_ = secondsPerColumn_;
    const std::int64_t lacking = chunkBegin(std::max(kept.settled_, forgotten_));
    assert(kept.forgotten_ + static_cast<std::int64_t>(kept.chunks_.size()) * columnsPerChunk >= lacking);
    kept.chunks_.resize(index((columns_ - kept.forgotten_ + columnsPerChunk - 1) / columnsPerChunk));
    for (std::int64_t begin = lacking; begin < columns_; begin += columnsPerChunk) copyChunk(begin, kept);
    kept.columns_ = columns_;
    kept.settled_ = settled_;
    kept.duration_ = duration_;
    kept.generation_ = generation_;
    kept.revision_ = revision_;
}

void Timeline::copyChunk(std::int64_t begin, Timeline& kept) const {
    const std::int64_t end = begin + columnsPerChunk;
    if (end <= settled_) {
        kept.chunkOf(begin) = chunkOf(begin);
        return;
    }
    if (!kept.chunkOf(begin)) kept.chunkOf(begin) = newChunk();
    const Chunk& from = *chunkOf(begin);
    Chunk& to = *kept.chunkOf(begin);
    const auto first = std::max<std::int64_t>(kept.settled_ - begin, 0);
    const auto last = std::min(end, columns_) - begin;
    const std::int64_t width = classes_;
    std::copy(from.values.begin() + first * width, from.values.begin() + last * width,
              to.values.begin() + first * width);
    std::copy(from.weights.begin() + first, from.weights.begin() + last, to.weights.begin() + first);
}

std::shared_ptr<Timeline::Chunk> Timeline::newChunk() const {
    auto chunk = std::make_shared<Chunk>();
    chunk->values.resize(index(columnsPerChunk) * static_cast<std::size_t>(classes_));
    return chunk;
}

std::shared_ptr<Timeline::Chunk>& Timeline::chunkOf(std::int64_t column) {
    return chunks_[index((column - forgotten_) / columnsPerChunk)];
}

const std::shared_ptr<Timeline::Chunk>& Timeline::chunkOf(std::int64_t column) const {
    return chunks_[index((column - forgotten_) / columnsPerChunk)];
}

bool Timeline::provisional(std::int64_t column) const {
    assert(column >= forgotten_ && column < columns_);
    return column >= settled_ && chunkOf(column)->weights[index(column % columnsPerChunk)] == 0.0f;
}

std::span<const float> Timeline::column(std::int64_t column) const {
    assert(column >= forgotten_ && column < columns_);
    const auto classCount = static_cast<std::size_t>(classes_);
    const Chunk& chunk = *chunkOf(column);
    const auto offset = index(column % columnsPerChunk) * classCount;
    if (column >= rounded_) return std::span(chunk.values).subspan(offset, classCount);
    widened_.resize(classCount);
    std::ranges::transform(std::span(chunk.rounded).subspan(offset, classCount), widened_.begin(),
                           [](std::uint16_t half) { return fromFloat16(half); });
    return widened_;
}

void Timeline::row(int classIndex, std::int64_t first, std::span<float> values) const {
    assert(classIndex >= 0 && classIndex < classes_ && first >= forgotten_);
    assert(first + static_cast<std::int64_t>(values.size()) <= columns_);
    const auto classCount = static_cast<std::size_t>(classes_);
    while (!values.empty()) { // a chunk at a time
        const Chunk& chunk = *chunkOf(first);
        auto at = index(first % columnsPerChunk * classes_ + classIndex);
        const auto part =
            values.first(std::min(values.size(), index(columnsPerChunk - first % columnsPerChunk)));
        const bool isRounded = first < rounded_;
        for (float& value : part) {
            value = isRounded ? fromFloat16(chunk.rounded[at]) : chunk.values[at];
            at += classCount;
        }
        first += static_cast<std::int64_t>(part.size());
        values = values.subspan(part.size());
    }
}

double Timeline::start(std::int64_t column) const {
    const double seconds = static_cast<double>(column) * secondsPerColumn_;
    return duration_ ? std::min(seconds, *duration_) : seconds;
}

double Timeline::end(std::int64_t column) const { return start(column + 1); }

void Timeline::add(std::int64_t first, std::span<const float> probabilities, std::span<const float> weights) {
    const auto classCount = static_cast<std::size_t>(classes_);
    const auto count = static_cast<std::int64_t>(probabilities.size() / classCount);
    assert(probabilities.size() % classCount == 0 && first >= settled_);
    assert(weights.empty() || weights.size() == index(count));
    growTo(first + count);
    for (std::int64_t i = 0; i < count; ++i) {
        const float* added = probabilities.data() + index(i) * classCount;
        const float own = weights.empty() ? 1.0f : weights[index(i)];
        assert(own > 0.0f);
        const auto mean = values(first + i);
        float& sum = weight(first + i);
        const bool alone = sum == 0.0f;
        sum += own;
        if (alone) {
            std::copy_n(added, classCount, mean.begin());
            continue;
        }
        // A running mean needs no sums beside it, and windows always come in the same order.
        const float share = own / sum;
        for (std::size_t c = 0; c < classCount; ++c) mean[c] += (added[c] - mean[c]) * share;
    }
}

void Timeline::setProvisional(std::int64_t first, std::span<const float> probabilities) {
    const auto classCount = static_cast<std::size_t>(classes_);
    const auto count = static_cast<std::int64_t>(probabilities.size() / classCount);
    assert(probabilities.size() % classCount == 0 && first >= settled_);
    growTo(first + count);
    for (std::int64_t i = 0; i < count; ++i)
        if (weight(first + i) == 0.0f)
            std::copy_n(probabilities.data() + index(i) * classCount, classCount, values(first + i).begin());
}

void Timeline::replace(std::int64_t column, std::span<const float> probabilities, bool isProvisional) {
    assert(probabilities.size() == static_cast<std::size_t>(classes_) && column >= settled_);
    growTo(column + 1);
    std::ranges::copy(probabilities, values(column).begin());
    weight(column) = isProvisional ? 0.0f : 1.0f;
}

void Timeline::beginAt(std::int64_t column) {
    assert(columns_ == 0 && column % columnsPerChunk == 0);
    columns_ = settled_ = forgotten_ = rounded_ = column;
}

void Timeline::settle(std::int64_t columns) {
    assert(columns >= settled_ && columns <= columns_);
    if (columns == settled_) return;
    settled_ = columns;
    ++revision_;
}

void Timeline::round(std::int64_t before) {
    assert(before <= settled_);
    for (; rounded_ + columnsPerChunk <= before; rounded_ += columnsPerChunk) {
        std::shared_ptr<Chunk>& chunk = chunkOf(rounded_);
        auto half = std::make_shared<Chunk>();
        half->weights = chunk->weights;
        half->rounded.resize(chunk->values.size());
        std::ranges::transform(chunk->values, half->rounded.begin(), toFloat16);
        chunk = std::move(half);
    }
}

void Timeline::forget(std::int64_t before) {
    assert(before <= settled_);
    dropChunks(chunkBegin(before));
}

void Timeline::dropChunks(std::int64_t before) {
    if (before <= forgotten_) return;
    const auto chunks = std::min(index((before - forgotten_) / columnsPerChunk), chunks_.size());
    chunks_.erase(chunks_.begin(), chunks_.begin() + static_cast<std::ptrdiff_t>(chunks));
    forgotten_ = before;
    rounded_ = std::max(rounded_, forgotten_);
}

void Timeline::finish(double duration) {
    settle(columns_);
    duration_ = duration;
    ++revision_;
}

void Timeline::resume() {
    duration_.reset();
    ++revision_;
}

void Timeline::reset() {
    chunks_.clear();
    columns_ = 0;
    settled_ = 0;
    forgotten_ = 0;
    rounded_ = 0;
    duration_.reset();
    generation_ = nextGeneration();
    revision_ = 0;
}

std::int64_t Timeline::bytes() const {
    const std::int64_t rounded = (rounded_ - forgotten_) / columnsPerChunk;
    const auto whole = static_cast<std::int64_t>(chunks_.size()) - rounded;
    constexpr std::int64_t each = sizeof(Chunk);
    const std::int64_t values = columnsPerChunk * classes_;
    return whole * (each + values * 4) + rounded * (each + values * 2);
}

void Timeline::growTo(std::int64_t columns) {
    ++revision_;
    if (columns <= columns_) return;
    columns_ = columns;
    while (forgotten_ + static_cast<std::int64_t>(chunks_.size()) * columnsPerChunk < columns_)
        chunks_.push_back(newChunk());
}

std::span<float> Timeline::values(std::int64_t column) {
    const auto classCount = static_cast<std::size_t>(classes_);
    return std::span(chunkOf(column)->values)
        .subspan(index(column % columnsPerChunk) * classCount, classCount);
}

float& Timeline::weight(std::int64_t column) {
    return chunkOf(column)->weights[index(column % columnsPerChunk)];
}

} // namespace earshot::detection
