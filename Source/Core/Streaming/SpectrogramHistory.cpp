#include "Core/Streaming/SpectrogramHistory.h"

#include "Core/Base/Generation.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::streaming {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

std::uint8_t toByte(float decibels) {
    constexpr float range = SpectrogramHistory::maxDecibels - SpectrogramHistory::minDecibels;
    const float value = (decibels - SpectrogramHistory::minDecibels) / range * 255.0f;
    // `value > 0` is false for NaN, so that NaN becomes silence.
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
    assert(row >= firstRow() && row < rows);
    return std::span<const std::uint8_t>(chunk(row))
        .subspan(index(row % rowsPerChunk) * index(bands), index(bands));
}

void SpectrogramHistory::Level::discard(std::int64_t before) {
    if (before <= discarded) return;
    const auto count = std::min(index(before - discarded), chunks.size());
    chunks.erase(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(count));
    discarded = before;
}

void SpectrogramHistory::Level::copySince(Level& mirror, int bands) const {
    // The mirror's complete chunks are already equal. Only discard those that were discarded here.
    mirror.discard(discarded);
    mirror.chunks.resize(chunks.size());
    const std::int64_t known = std::max(mirror.rows, firstRow());
    for (std::int64_t first = known / rowsPerChunk * rowsPerChunk; first < rows; first += rowsPerChunk) {
        const auto at = index(first / rowsPerChunk - discarded);
        if (first + rowsPerChunk <= rows) {
            mirror.chunks[at] = chunks[at];
            continue;
        }
        if (!mirror.chunks[at]) mirror.chunks[at] = std::make_shared<Chunk>(chunks[at]->size());
        const std::int64_t from = std::max(known - first, std::int64_t{0});
        std::copy(chunks[at]->begin() + from * bands, chunks[at]->begin() + (rows - first) * bands,
                  mirror.chunks[at]->begin() + from * bands);
    }
    mirror.rows = rows;
}

void SpectrogramHistory::reset(int bands, double secondsPerFrame, double lowHz, double highHz) {
    assert(bands >= 1 && secondsPerFrame > 0.0);
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
    for (; !logMel.empty(); logMel = logMel.subspan(width)) {
        std::ranges::transform(logMel.first(width), fine_.append(bands_).begin(), toByte);
        for (std::size_t band = 0; band < width; ++band) pending_[band] += logMel[band];
        ++frames_;
        if (frames_ % framesPerCell != 0) continue;
        std::ranges::transform(pending_, coarse_.append(bands_).begin(),
                               [](float sum) { return toByte(sum / framesPerCell); });
        std::ranges::fill(pending_, 0.0f);
    }
    fine_.discard((frames_ - fineFrames) / rowsPerChunk);
}

bool SpectrogramHistory::forgetOldest() {
    Level& oldest = firstKept() <= firstFineFrame() && coarse_.chunks.size() > 1 ? coarse_ : fine_;
    if (oldest.chunks.size() < 2) return false;
    oldest.discard(oldest.discarded + 1);
    // Fine frames without their cells would be visible at some zoom levels only.
    fine_.discard(firstKept() / rowsPerChunk);
    return true;
}

std::int64_t SpectrogramHistory::bytes() const {
    return static_cast<std::int64_t>(fine_.chunks.size() + coarse_.chunks.size()) * rowsPerChunk * bands_;
}

bool SpectrogramHistory::copySince(SpectrogramHistory& mirror) const {
    const bool same = mirror.generation_ == generation_;
    if (same && mirror.frames_ == frames_ && mirror.coarse_.discarded == coarse_.discarded &&
        mirror.fine_.discarded == fine_.discarded)
        return false;
    if (!same) {
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

std::int64_t SpectrogramHistory::firstFineFrame() const { return fine_.firstRow(); }
std::int64_t SpectrogramHistory::firstKept() const { return coarse_.firstRow() * framesPerCell; }

std::span<const std::uint8_t> SpectrogramHistory::frame(std::int64_t frame) const {
    assert(frame >= firstKept() && frame < frames_);
    if (frame >= firstFineFrame()) return fine_.row(frame, bands_);
    return coarse_.row(frame / framesPerCell, bands_);
}

void SpectrogramHistory::largest(std::int64_t first, std::int64_t last,
                                 std::span<std::uint8_t> values) const {
    assert(values.size() == index(bands_));
    std::ranges::fill(values, std::uint8_t{0});
    first = std::max(first, firstKept());
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
