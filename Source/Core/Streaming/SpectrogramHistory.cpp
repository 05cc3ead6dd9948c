#include "Core/Streaming/SpectrogramHistory.h"

#include "Core/Base/Generation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::streaming {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

std::uint8_t toByte(float decibels) {
    constexpr float range = SpectrogramHistory::highestDecibels - SpectrogramHistory::lowestDecibels;
    const float value = (decibels - SpectrogramHistory::lowestDecibels) / range * 255.0f;
    // Written so that what is no number becomes silence.
    return static_cast<std::uint8_t>(std::lround(value > 0.0f ? std::min(value, 255.0f) : 0.0f));
}

} // namespace

std::span<std::uint8_t> SpectrogramHistory::Level::append(int bands) {
    if (rows % rowsPerChunk == 0)
        chunks.push_back(std::make_shared<Chunk>(index(rowsPerChunk) * index(bands)));
    const auto row =
        std::span(*chunks.back()).subspan(index(rows % rowsPerChunk) * index(bands), index(bands));
    ++rows;
    return row;
}

std::span<const std::uint8_t> SpectrogramHistory::Level::row(std::int64_t row, int bands) const {
    assert(row >= 0 && row < rows && chunks[index(row / rowsPerChunk)]);
    return std::span<const std::uint8_t>(*chunks[index(row / rowsPerChunk)])
        .subspan(index(row % rowsPerChunk) * index(bands), index(bands));
}

void SpectrogramHistory::Level::copySince(Level& mirror, int bands) const {
    const std::int64_t known = mirror.rows;
    mirror.rows = rows;
    mirror.chunks.resize(chunks.size());
    // What the mirror has whole is the same, unless it was discarded meanwhile.
    while (mirror.discarded < discarded) mirror.chunks[index(mirror.discarded++)].reset();
    for (std::size_t i = index(std::max(known / rowsPerChunk, discarded)); i < chunks.size(); ++i) {
        const std::int64_t first = static_cast<std::int64_t>(i) * rowsPerChunk;
        const std::int64_t last = std::min(first + rowsPerChunk, rows);
        const bool complete = last == first + rowsPerChunk;
        if (complete) {
            mirror.chunks[i] = chunks[i];
            continue;
        }
        if (!mirror.chunks[i]) mirror.chunks[i] = std::make_shared<Chunk>(chunks[i]->size());
        const std::int64_t from = std::max(known, first);
        std::copy(chunks[i]->begin() + (from - first) * bands, chunks[i]->begin() + (last - first) * bands,
                  mirror.chunks[i]->begin() + (from - first) * bands);
    }
}

void SpectrogramHistory::reset(int bands, double secondsPerFrame, double lowHz, double highHz) {
    assert(bands >= 1 && secondsPerFrame > 0.0);
    const std::lock_guard lock(mutex_);
    bands_ = bands;
    secondsPerFrame_ = secondsPerFrame;
    lowHz_ = lowHz;
    highHz_ = highHz;
    generation_ = nextGeneration();
    frames_ = 0;
    fine_ = {};
    coarse_ = {};
    pending_.assign(index(bands), 0.0f);
}

void SpectrogramHistory::append(std::span<const float> logMel) {
    const auto width = index(bands_);
    assert(width > 0 && logMel.size() % width == 0);
    const std::lock_guard lock(mutex_);
    for (; !logMel.empty(); logMel = logMel.subspan(width)) {
        std::ranges::transform(logMel.first(width), fine_.append(bands_).begin(), toByte);
        for (std::size_t band = 0; band < width; ++band) pending_[band] += logMel[band];
        ++frames_;
        if (frames_ % framesPerCell != 0) continue;
        std::ranges::transform(pending_, coarse_.append(bands_).begin(),
                               [](float sum) { return toByte(sum / framesPerCell); });
        std::ranges::fill(pending_, 0.0f);
    }
    const std::int64_t kept = frames_ - fineFrames;
    while (fine_.discarded < kept / rowsPerChunk) fine_.chunks[index(fine_.discarded++)].reset();
}

bool SpectrogramHistory::copySince(SpectrogramHistory& mirror) const {
    const std::lock_guard lock(mutex_);
    if (mirror.generation_ == generation_ && mirror.frames_ == frames_) return false;
    if (mirror.generation_ != generation_) {
        mirror.bands_ = bands_;
        mirror.secondsPerFrame_ = secondsPerFrame_;
        mirror.lowHz_ = lowHz_;
        mirror.highHz_ = highHz_;
        mirror.generation_ = generation_;
        mirror.fine_ = {};
        mirror.coarse_ = {};
    }
    mirror.frames_ = frames_;
    mirror.pending_ = pending_;
    fine_.copySince(mirror.fine_, bands_);
    coarse_.copySince(mirror.coarse_, bands_);
    return true;
}

std::int64_t SpectrogramHistory::firstFineFrame() const { return fine_.discarded * rowsPerChunk; }

std::span<const std::uint8_t> SpectrogramHistory::frame(std::int64_t frame) const {
    assert(frame >= 0 && frame < frames_);
    if (fine_.chunks[index(frame / rowsPerChunk)]) return fine_.row(frame, bands_);
    return coarse_.row(frame / framesPerCell, bands_);
}

void SpectrogramHistory::largest(std::int64_t first, std::int64_t last,
                                 std::span<std::uint8_t> values) const {
    assert(values.size() == index(bands_));
    std::ranges::fill(values, std::uint8_t{0});
    first = std::max<std::int64_t>(first, 0);
    last = std::min(last, frames_);
    const auto raise = [&](std::span<const std::uint8_t> row) {
        for (std::size_t band = 0; band < values.size(); ++band)
            values[band] = std::max(values[band], row[band]);
    };
    constexpr std::int64_t longStretch = 4 * framesPerCell;
    if (last - first >= longStretch || (first < last && first < firstFineFrame())) {
        const std::int64_t lastCell = std::min((last + framesPerCell - 1) / framesPerCell, coarse_.rows);
        for (std::int64_t cell = first / framesPerCell; cell < lastCell; ++cell)
            raise(coarse_.row(cell, bands_));
        return;
    }
    for (std::int64_t i = first; i < last; ++i) raise(frame(i));
}

} // namespace earshot::streaming
