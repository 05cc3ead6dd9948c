// The log-mel spectrogram kept for drawing: a byte a value, every frame (10 ms) of the last stretch and the
// mean of every 8 frames of everything, so that hours stay small (0.8 kB a second for 64 bands). The oldest
// can be forgotten by whole chunks.
//
// One thread at a time, and whoever shares one guards it. Whole chunks are shared between an original and its
// mirrors, across threads too, so that a mirror costs next to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::streaming {

class SpectrogramHistory {
  public:
    static constexpr float lowestDecibels = -80.0f; // byte 0, and anything below
    static constexpr float highestDecibels = 40.0f; // byte 255, and anything above
    static constexpr int framesPerCell = 8;         // of the coarse level
    static constexpr std::int64_t fineFrames =
        120'000; // at least so many of the newest frames are kept as they were

    SpectrogramHistory() = default;
    SpectrogramHistory(const SpectrogramHistory&) = delete;
    SpectrogramHistory& operator=(const SpectrogramHistory&) = delete;

    // Forgets everything. secondsPerFrame: of one log-mel frame.
    void reset(int bands, double secondsPerFrame, double lowHz, double highHz);
    // logMel: (frames, bands) in dB.
    void append(std::span<const float> logMel);
    // Forgets the oldest chunk there is (5 min of means, or 41 s of frames that are kept as they were); false
    // where only what is being written is left.
    bool forgetOldest();
    // Brings the mirror up to date; true when it changed. Costs no more than what the mirror lacks.
    bool copySince(SpectrogramHistory& mirror) const;

    int bands() const { return bands_; }
    double secondsPerFrame() const { return secondsPerFrame_; }
    double lowHz() const { return lowHz_; }
    double highHz() const { return highHz_; }
    std::int64_t frames() const { return frames_; }
    std::int64_t firstKept() const; // frames before it are forgotten
    std::int64_t bytes() const;     // of the chunks, those that are shared included
    // The first frame whose own values are still there.
    std::int64_t firstFineFrame() const;
    // (bands) bytes of one frame, low band first: its own values, or of its cell where they are gone.
    std::span<const std::uint8_t> frame(std::int64_t frame) const;
    // (bands): the largest value of each band over frames [first, last), last > first, clipped to what there
    // is, and 0 where nothing is. Reads the coarse level for long stretches.
    void largest(std::int64_t first, std::int64_t last, std::span<std::uint8_t> values) const;

  private:
    static constexpr std::int64_t rowsPerChunk = 4096;
    using Chunk = std::vector<std::uint8_t>; // (rowsPerChunk, bands)

    // Rows of `bands` bytes in chunks of equal size. A chunk whose rows are all written never changes again
    // and may be shared.
    struct Level {
        std::vector<std::shared_ptr<Chunk>> chunks; // from the first that is kept on
        std::int64_t rows = 0;
        std::int64_t discarded = 0; // chunks, from the first on

        std::int64_t firstRow() const { return discarded * rowsPerChunk; }
        Chunk& chunk(std::int64_t row) const {
            return *chunks[static_cast<std::size_t>(row / rowsPerChunk - discarded)];
        }
        std::span<std::uint8_t> append(int bands);
        std::span<const std::uint8_t> row(std::int64_t row, int bands) const;
        void discard(std::int64_t before); // chunks
        void copySince(Level& mirror, int bands) const;
    };

    int bands_ = 0;
    double secondsPerFrame_ = 0.01;
    double lowHz_ = 0.0;
    double highHz_ = 0.0;
    std::uint64_t generation_ = 0;
    std::int64_t frames_ = 0;
    Level fine_;                 // every frame
    Level coarse_;               // every framesPerCell frames
    std::vector<float> pending_; // (bands): sum of the frames of the cell that is not complete
};

} // namespace earshot::streaming
