// What was heard when: columns of class probabilities on the absolute token grid, one every 0.32 s.
//
// Overlapping windows are averaged per column. A column is settled once no later window can reach it, and
// provisional while only a stand-in for a window that is still to come; stand-ins are replaced, never
// averaged. Columns are kept in fixed chunks, so that growing never copies what is there. Whole chunks of
// settled columns can be rounded to float16 (half the memory, 11 bits of precision: at most 0.00025 off), and
// forgotten once nobody asks for them any more.
//
// A plain value: one thread at a time, and whoever shares one guards it. Two timelines may share chunks
// across threads: only chunks that cannot change any more are shared.
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

    // Brings the mirror up to date; true when it changed. Columns that were settled in the mirror stay as
    // they are there, unless the generation is another one. What is rounded or forgotten here is so there.
    // Costs no more than what the mirror lacks.
    bool copySince(Timeline& mirror) const;
    // Likewise, but what was settled in `kept` stays whatever was forgotten here since: one who keeps more
    // than this one. `kept` knows all columns that were forgotten here.
    void continueIn(Timeline& kept) const;
    // Changes with reset(); a mirror has its original's.
    std::uint64_t generation() const { return generation_; }

    int classes() const { return classes_; }
    double secondsPerColumn() const { return secondsPerColumn_; }
    std::int64_t columns() const { return columns_; }     // settled or not
    std::int64_t settled() const { return settled_; }     // the first so many columns are final
    bool provisional(std::int64_t column) const;          // not settled, and no window has reached it
    std::int64_t firstKept() const { return forgotten_; } // columns before it must not be asked for
    std::int64_t rounded() const { return rounded_; }     // columns before it are float16

    // (classes) probabilities. Valid until the column is written again, reset() is called or, of a rounded
    // one, another column is asked for.
    std::span<const float> column(std::int64_t column) const;
    // One class over columns first, first + 1, ... as many as `values` holds.
    void row(int classIndex, std::int64_t first, std::span<float> values) const;

    // The column's time span in seconds from the first sample; ends at the recording's end once that is
    // known.
    double start(std::int64_t column) const;
    double end(std::int64_t column) const;
    // The recording's length in seconds, once it has ended.
    std::optional<double> duration() const { return duration_; }

    // probabilities: (columns, classes) of one window from column `first` on, which is not settled. Columns
    // between columns() and `first` become zeros: windows were skipped there.
    void add(std::int64_t first, std::span<const float> probabilities);
    // Likewise, as a stand-in: replaced by the next call of either kind. Columns that an add() has reached
    // keep theirs.
    void setProvisional(std::int64_t first, std::span<const float> probabilities);
    // The first so many columns are final.
    void settle(std::int64_t columns);
    // Rounds what whole chunks hold nothing but columns before that one, which are settled. Events that are
    // derived again from rounded columns may move where a probability lies within the rounding of a
    // threshold; those already derived stay.
    void round(std::int64_t before);
    // Gives back what whole chunks hold nothing but columns before that one, which are settled.
    void forget(std::int64_t before);
    // The recording ended after so many seconds: every column is final.
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
