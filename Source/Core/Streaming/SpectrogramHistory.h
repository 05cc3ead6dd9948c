// Stores the log-mel spectrogram for drawing, one byte a value, in two levels. The fine level has every frame
// (10 ms) of the newest 20 minutes. The coarse level has a cell for every 8 frames of the whole history, with
// their mean, and takes only 0.8 kB a second for 64 bands. Both levels forget whole chunks, oldest first.
//
// One thread at a time; a caller that shares an object guards it. Complete chunks are shared between an
// original and its mirrors, across threads too, so that a mirror takes little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::streaming {

class SpectrogramHistory {
  public:
    static constexpr float minDecibels = -80.0f; // byte 0; lower values, too
    static constexpr float maxDecibels = 40.0f;  // byte 255; higher values, too
    static constexpr int framesPerCell = 8;      // coarse level
    // The fine level has at least this many of the newest frames, unless forgetOldest() removed some.
    static constexpr std::int64_t fineFrames = 120'000;

    SpectrogramHistory() = default;
    SpectrogramHistory(const SpectrogramHistory&) = delete;
    SpectrogramHistory& operator=(const SpectrogramHistory&) = delete;

    // Forgets everything. `secondsPerFrame` is the hop between log-mel frames.
    void reset(int bands, double secondsPerFrame, double lowHz, double highHz);
    // `logMel` is (frames, bands) in dB.
    void append(std::span<const float> logMel);
    // Forgets the oldest chunk: 5 min of the coarse level or 41 s of the fine one. Returns false if only the
    // chunk being written is left.
    bool forgetOldest();
    // Updates the mirror and returns true if it changed. Copies only the rows that the mirror lacks.
    bool copySince(SpectrogramHistory& mirror) const;

    int bands() const { return bands_; }
    double secondsPerFrame() const { return secondsPerFrame_; }
    double lowHz() const { return lowHz_; }
    double highHz() const { return highHz_; }
    std::int64_t frames() const { return frames_; }
    std::int64_t firstKept() const; // frames before it are forgotten
    std::int64_t bytes() const;     // memory of all chunks, shared ones included
    // The first frame in the fine level.
    std::int64_t firstFineFrame() const;
    // Returns the (bands) bytes of one frame, low band first. Before firstFineFrame() they are those of the
    // frame's cell.
    std::span<const std::uint8_t> frame(std::int64_t frame) const;
    // Fills `values` (bands) with the largest value of each band over the frames [first, last) that exist, or
    // with 0 if none exists. Reads the coarse level for long ranges.
    void largest(std::int64_t first, std::int64_t last, std::span<std::uint8_t> values) const;

  private:
    static constexpr std::int64_t rowsPerChunk = 4096;
    using Chunk = std::vector<std::uint8_t>; // (rowsPerChunk, bands)

    // Rows of `bands` bytes in chunks of equal size. A complete chunk never changes again and may be shared.
    struct Level {
        std::vector<std::shared_ptr<Chunk>> chunks; // without the discarded ones
        std::int64_t rows = 0;                      // discarded ones included
        std::int64_t discarded = 0;                 // chunks

        std::int64_t firstRow() const { return discarded * rowsPerChunk; }
        Chunk& chunk(std::int64_t row) const {
            return *chunks[static_cast<std::size_t>(row / rowsPerChunk - discarded)];
        }
        std::span<std::uint8_t> append(int bands);
        std::span<const std::uint8_t> row(std::int64_t row, int bands) const;
        void discard(std::int64_t before); // discards the chunks before this index
        void copySince(Level& mirror, int bands) const;
    };

    int bands_ = 0;
    double secondsPerFrame_ = 0.01;
    double lowHz_ = 0.0;
    double highHz_ = 0.0;
    std::uint64_t generation_ = 0;
    std::int64_t frames_ = 0;
    Level fine_;                 // a row a frame
    Level coarse_;               // a row a cell
    std::vector<float> pending_; // (bands), sum of the frames in the incomplete cell
};

} // namespace earshot::streaming
