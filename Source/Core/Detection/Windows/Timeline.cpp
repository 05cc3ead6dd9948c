#include "Core/Detection/Windows/Timeline.h"

#include "Core/Base/Generation.h"

#include <algorithm>
#include <cassert>

namespace earshot::detection {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

} // namespace

Timeline::Chunk::Chunk(int classes)
    : values(index(columnsPerChunk) * static_cast<std::size_t>(classes)) {}

Timeline::Timeline(int classes, double secondsPerColumn)
    : classes_(classes)
    , secondsPerColumn_(secondsPerColumn)
    , generation_(nextGeneration()) {
    assert(classes >= 1 && secondsPerColumn > 0.0);
}

bool Timeline::copySince(Timeline& mirror) const {
    const std::lock_guard lock(*mutex_);
    const bool replaced = mirror.generation_ != generation_;
    if (!replaced && mirror.revision_ == revision_) return false;
    if (replaced) {
        mirror.chunks_.clear();
        mirror.settled_ = 0;
        mirror.forgotten_ = 0;
    }
    mirror.classes_ = classes_;
    mirror.secondsPerColumn_ = secondsPerColumn_;
    mirror.chunks_.resize(chunks_.size());
    mirror.dropChunks(forgotten_);
    for (std::size_t i = index(std::max(mirror.settled_, forgotten_) / columnsPerChunk); i < chunks_.size();
         ++i)
        copyChunk(i, mirror.settled_, mirror);
    mirror.columns_ = columns_;
    mirror.settled_ = settled_;
    mirror.duration_ = duration_;
    mirror.generation_ = generation_;
    mirror.revision_ = revision_;
    return true;
}

void Timeline::copyChunk(std::size_t chunk, std::int64_t firstColumn, Timeline& mirror) const {
    const std::int64_t begin = static_cast<std::int64_t>(chunk) * columnsPerChunk;
    const std::int64_t end = begin + columnsPerChunk;
    if (end <= settled_) {
        mirror.chunks_[chunk] = chunks_[chunk];
        return;
    }
    if (!mirror.chunks_[chunk]) mirror.chunks_[chunk] = std::make_shared<Chunk>(classes_);
    const Chunk& from = *chunks_[chunk];
    Chunk& to = *mirror.chunks_[chunk];
    const auto first = std::max<std::int64_t>(firstColumn - begin, 0);
    const auto last = std::min(end, columns_) - begin;
    const std::int64_t width = classes_;
    std::copy(from.values.begin() + first * width, from.values.begin() + last * width,
              to.values.begin() + first * width);
    std::copy(from.windows.begin() + first, from.windows.begin() + last, to.windows.begin() + first);
}

bool Timeline::provisional(std::int64_t column) const {
    assert(column >= forgotten_ && column < columns_);
    return column >= settled_ &&
           chunks_[index(column / columnsPerChunk)]->windows[index(column % columnsPerChunk)] == 0;
}

std::span<const float> Timeline::column(std::int64_t column) const {
    assert(column >= forgotten_ && column < columns_);
    const auto classCount = static_cast<std::size_t>(classes_);
    const float* chunk = chunks_[index(column / columnsPerChunk)]->values.data();
    return {chunk + index(column % columnsPerChunk) * classCount, classCount};
}

void Timeline::row(int classIndex, std::int64_t first, std::span<float> values) const {
    assert(classIndex >= 0 && classIndex < classes_);
    for (float& value : values) value = column(first++)[static_cast<std::size_t>(classIndex)];
}

double Timeline::start(std::int64_t column) const {
    const double seconds = static_cast<double>(column) * secondsPerColumn_;
    return duration_ ? std::min(seconds, *duration_) : seconds;
}

double Timeline::end(std::int64_t column) const { return start(column + 1); }

void Timeline::add(std::int64_t first, std::span<const float> probabilities) {
    const auto classCount = static_cast<std::size_t>(classes_);
    const auto count = static_cast<std::int64_t>(probabilities.size() / classCount);
    assert(probabilities.size() % classCount == 0 && first >= settled_);
    const std::lock_guard lock(*mutex_);
    growTo(first + count);
    for (std::int64_t i = 0; i < count; ++i) {
        const float* added = probabilities.data() + index(i) * classCount;
        const auto mean = values(first + i);
        int& averaged = windows(first + i);
        ++averaged;
        if (averaged == 1) {
            std::copy_n(added, classCount, mean.begin());
            continue;
        }
        // Running mean: needs no sums beside it, and windows always come in the same order.
        const auto divisor = static_cast<float>(averaged);
        for (std::size_t c = 0; c < classCount; ++c) mean[c] += (added[c] - mean[c]) / divisor;
    }
}

void Timeline::setProvisional(std::int64_t first, std::span<const float> probabilities) {
    const auto classCount = static_cast<std::size_t>(classes_);
    const auto count = static_cast<std::int64_t>(probabilities.size() / classCount);
    assert(probabilities.size() % classCount == 0 && first >= settled_);
    const std::lock_guard lock(*mutex_);
    growTo(first + count);
    for (std::int64_t i = 0; i < count; ++i)
        if (windows(first + i) == 0)
            std::copy_n(probabilities.data() + index(i) * classCount, classCount, values(first + i).begin());
}

void Timeline::settle(std::int64_t columns) {
    assert(columns >= settled_ && columns <= columns_);
    if (columns == settled_) return;
    const std::lock_guard lock(*mutex_);
    settled_ = columns;
    ++revision_;
}

void Timeline::forget(std::int64_t before) {
    assert(before <= settled_);
    const std::int64_t first = before / columnsPerChunk * columnsPerChunk;
    if (first <= forgotten_) return;
    const std::lock_guard lock(*mutex_);
    dropChunks(first);
    ++revision_;
}

void Timeline::dropChunks(std::int64_t before) {
    for (; forgotten_ < before; forgotten_ += columnsPerChunk)
        chunks_[index(forgotten_ / columnsPerChunk)].reset();
}

void Timeline::finish(double duration) {
    settle(columns_);
    const std::lock_guard lock(*mutex_);
    duration_ = duration;
    ++revision_;
}

void Timeline::reset() {
    const std::lock_guard lock(*mutex_);
    chunks_.clear();
    columns_ = 0;
    settled_ = 0;
    forgotten_ = 0;
    duration_.reset();
    generation_ = nextGeneration();
    revision_ = 0;
}

void Timeline::growTo(std::int64_t columns) {
    ++revision_;
    if (columns <= columns_) return;
    const auto chunkCount = index((columns + columnsPerChunk - 1) / columnsPerChunk);
    while (chunks_.size() < chunkCount) chunks_.push_back(std::make_shared<Chunk>(classes_));
    columns_ = columns;
}

std::span<float> Timeline::values(std::int64_t column) {
    const auto classCount = static_cast<std::size_t>(classes_);
    float* chunk = chunks_[index(column / columnsPerChunk)]->values.data();
    return {chunk + index(column % columnsPerChunk) * classCount, classCount};
}

int& Timeline::windows(std::int64_t column) {
    return chunks_[index(column / columnsPerChunk)]->windows[index(column % columnsPerChunk)];
}

} // namespace earshot::detection
