#include "Core/Detection/Timeline.h"

#include <algorithm>
#include <atomic>
#include <cassert>

namespace earshot::detection {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

std::uint64_t nextGeneration() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace

Timeline::Timeline(int classes, double secondsPerColumn)
    : classes_(classes)
    , secondsPerColumn_(secondsPerColumn)
    , generation_(nextGeneration()) {
    assert(classes >= 1 && secondsPerColumn > 0.0);
}

bool Timeline::provisional(std::int64_t column) const {
    assert(column >= 0 && column < columns_);
    return chunks_[index(column / columnsPerChunk)].windows[index(column % columnsPerChunk)] == 0;
}

std::span<const float> Timeline::column(std::int64_t column) const {
    assert(column >= 0 && column < columns_);
    const auto classCount = static_cast<std::size_t>(classes_);
    const float* chunk = chunks_[index(column / columnsPerChunk)].values.get();
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
    assert(probabilities.size() % classCount == 0 && first >= settled_ && first <= columns_);
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
    assert(probabilities.size() % classCount == 0 && first <= columns_);
    growTo(first + count);
    for (std::int64_t i = 0; i < count; ++i) {
        assert(windows(first + i) == 0);
        std::copy_n(probabilities.data() + index(i) * classCount, classCount, values(first + i).begin());
    }
}

void Timeline::settle(std::int64_t columns) {
    assert(columns >= settled_ && columns <= columns_);
    settled_ = columns;
}

void Timeline::finish(double duration) {
    settle(columns_);
    duration_ = duration;
}

void Timeline::reset() {
    generation_ = nextGeneration();
    chunks_.clear();
    columns_ = 0;
    settled_ = 0;
    duration_.reset();
}

void Timeline::growTo(std::int64_t columns) {
    if (columns <= columns_) return;
    const auto chunkCount = index((columns + columnsPerChunk - 1) / columnsPerChunk);
    while (chunks_.size() < chunkCount)
        chunks_.push_back(
            {std::make_unique<float[]>(index(columnsPerChunk) * static_cast<std::size_t>(classes_)), {}});
    columns_ = columns;
}

std::span<float> Timeline::values(std::int64_t column) {
    const auto classCount = static_cast<std::size_t>(classes_);
    float* chunk = chunks_[index(column / columnsPerChunk)].values.get();
    return {chunk + index(column % columnsPerChunk) * classCount, classCount};
}

int& Timeline::windows(std::int64_t column) {
    return chunks_[index(column / columnsPerChunk)].windows[index(column % columnsPerChunk)];
}

} // namespace earshot::detection
