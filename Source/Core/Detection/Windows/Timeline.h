// Columns of class probabilities on the absolute token grid, one every 0.32 s.
//
// Columns of overlapping windows are averaged. A column is settled when no later window can reach it. It is
// provisional while a stand-in fills it for a window that is still to come; stand-ins are replaced, never
// averaged. Columns are stored in chunks of fixed size, so that growing copies nothing. Whole chunks of
// settled columns can be rounded to float16 (half the memory, 11 significant bits: at most 0.00025 off), and
// forgotten when nobody needs them any more.
//
// A plain value: one thread at a time; whoever shares one guards it. Two timelines may share chunks across
// threads, but only chunks that cannot change any more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace earshot::detection {

class Timeline {
  public:
    static constexpr std::int64_t columnsPerChunk = 256; // 82 s; 0.5 MB for 527 classes

    Timeline(int classes, double secondsPerColumn);
    Timeline(Timeline&&) noexcept = default;
    Timeline& operator=(Timeline&&) noexcept = default;

    // Brings the mirror up to date. Returns true if it changed. Columns that were settled in the mirror stay,
    // unless the generation changed. Columns that are rounded or forgotten here are so in the mirror. The
    // cost is that of the columns that the mirror lacks.
    bool copySince(Timeline& mirror) const;
    // The same for a copy that keeps more: columns settled in `kept` stay even if they were forgotten here.
    // `kept` must know all columns that were forgotten here.
    void continueIn(Timeline& kept) const;
    // It changes with reset(). A mirror has its original's generation.
    std::uint64_t generation() const { return generation_; }

    int classes() const { return classes_; }
    double secondsPerColumn() const { return secondsPerColumn_; }
    std::int64_t columns() const { return columns_; }     // settled or not
    std::int64_t settled() const { return settled_; }     // this many columns are final
    bool provisional(std::int64_t column) const;          // not settled, and no window has reached it
    std::int64_t firstKept() const { return forgotten_; } // earlier columns must not be asked for
    std::int64_t rounded() const { return rounded_; }     // earlier columns are float16

    // (classes) probabilities. Valid until the column is written again or reset() is called; a rounded column
    // only until another column is asked for.
    std::span<const float> column(std::int64_t column) const;
    // The values of one class in columns first, first + 1, ..., as many as `values` holds.
    void row(int classIndex, std::int64_t first, std::span<float> values) const;

    // The column's time span in seconds from the first sample. It ends at the recording's end once that is
    // known.
    double start(std::int64_t column) const;
    double end(std::int64_t column) const;
    // The recording's length in seconds, after its end.
    std::optional<double> duration() const { return duration_; }

    // probabilities: (columns, classes) of one window from column `first` on, which is not settled. Columns
    // between columns() and `first` become zeros, because windows were skipped there.
    void add(std::int64_t first, std::span<const float> probabilities);
    // The same as a stand-in, which the next call of either kind replaces. Columns that an add() has reached
    // keep their values.
    void setProvisional(std::int64_t first, std::span<const float> probabilities);
    // This many columns are final.
    void settle(std::int64_t columns);
    // Rounds the chunks that lie wholly before that settled column. Events derived again from rounded columns
    // may move where a probability lies within the rounding of a threshold. Events derived before stay.
    void round(std::int64_t before);
    // Frees the chunks that lie wholly before that settled column.
    void forget(std::int64_t before);
    // Ends the recording after this many seconds: every column is final.
    void finish(double duration);
    void reset();

    // Of the chunks, those that are shared included.
    std::int64_t bytes() const;

  private:
    struct Chunk {
        std::vector<float> values;                  // (columnsPerChunk, classes): the mean over windows,
        std::vector<std::uint16_t> rounded;         // or, instead, the same as float16
        std::array<int, columnsPerChunk> windows{}; // averaged in each column; 0 is provisional
    };

    std::shared_ptr<Chunk> newChunk() const;
    std::shared_ptr<Chunk>& chunkOf(std::int64_t column);
    const std::shared_ptr<Chunk>& chunkOf(std::int64_t column) const;
    void growTo(std::int64_t columns);
    void dropChunks(std::int64_t before);
    std::span<float> values(std::int64_t column);
    int& windows(std::int64_t column);
    void copyChunk(std::int64_t begin, Timeline& kept) const;

    int classes_;
    double secondsPerColumn_;
    std::vector<std::shared_ptr<Chunk>> chunks_; // from column forgotten_ on
    std::int64_t columns_ = 0;
    std::int64_t settled_ = 0;
    std::int64_t forgotten_ = 0; // a chunk begins there
    std::int64_t rounded_ = 0;   // likewise
    std::optional<double> duration_;
    std::uint64_t generation_;
    std::uint64_t revision_ = 0;         // of this generation: counts changes, but for the two above
    mutable std::vector<float> widened_; // (classes): the rounded column asked for last
};

} // namespace earshot::detection
