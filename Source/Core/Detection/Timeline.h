// The network's results over time: columns of class probabilities on the absolute token grid (0.32 s each).
// For words, a second timeline has columns of vectors in their place (ScoredTimeline.h).
//
// Overlapping windows are averaged per column, by weight. A column is settled once no later window can change
// it. It is provisional while only a stand-in for a later window covers it; stand-ins are replaced, never
// averaged. Columns are kept in fixed chunks, so that growing never copies them. Whole chunks of settled
// columns can be rounded to float16 (half the memory, 11 bits of precision: an error of at most 0.00025), and
// forgotten once nobody needs them.
//
// A plain value: one thread at a time; owners that share a timeline guard it. Two timelines may share chunks
// across threads, because only chunks that no longer change are shared.
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

    // Brings the mirror up to date; returns whether it changed. Columns that are settled in the mirror stay
    // as they are, unless the generation differs. Chunks that are rounded or forgotten here become so in the
    // mirror. The cost is proportional to what the mirror lacks.
    bool copySince(Timeline& mirror) const;
    // The same, but `kept` keeps its settled columns even if they were forgotten here since: it is a copy
    // with a longer memory. Precondition: `kept` has all columns that were forgotten here.
    void continueIn(Timeline& kept) const;
    // Changes with reset(); a mirror has the generation of its original.
    std::uint64_t generation() const { return generation_; }

    int classes() const { return classes_; }
    double secondsPerColumn() const { return secondsPerColumn_; }
    std::int64_t columns() const { return columns_; }     // settled and provisional
    std::int64_t settled() const { return settled_; }     // the first settled() columns are final
    bool provisional(std::int64_t column) const;          // not settled, and no regular window covers it
    std::int64_t firstKept() const { return forgotten_; } // the caller must not ask for columns before it
    std::int64_t rounded() const { return rounded_; }     // columns before it are float16

    // (classes) probabilities. Valid until the column is written again or reset() is called; those of a
    // rounded column, until another column is asked for.
    std::span<const float> column(std::int64_t column) const;
    // Reads one class over columns first, first + 1, ... until `values` is full.
    void row(int classIndex, std::int64_t first, std::span<float> values) const;

    // The column's time span in seconds from the first sample. It ends at the recording's end once that is
    // known.
    double start(std::int64_t column) const;
    double end(std::int64_t column) const;
    // The recording's length in seconds, once it has ended.
    std::optional<double> duration() const { return duration_; }

    // Adds the probabilities of one window, (columns, classes), from column `first` on, which must not be
    // settled. weights: of its columns in their averages, above 0; none: 1 each. Columns between columns()
    // and `first` become zeros: their windows were skipped.
    void add(std::int64_t first, std::span<const float> probabilities, std::span<const float> weights = {});
    // The same for a stand-in: the next call of either kind replaces it. Columns that add() has written keep
    // their values.
    void setProvisional(std::int64_t first, std::span<const float> probabilities);
    // Writes a column that is not settled, whatever stood there: its probabilities follow from elsewhere.
    void replace(std::int64_t column, std::span<const float> probabilities, bool isProvisional);
    // Begins an empty timeline at that column, a chunk's first, as if those before had been forgotten.
    void beginAt(std::int64_t column);
    // Makes the first `columns` columns final.
    void settle(std::int64_t columns);
    // Rounds the whole chunks that lie before that column, which must be settled. Events derived again from
    // rounded columns may move where a probability is within the rounding error of a threshold; events
    // derived earlier stay.
    void round(std::int64_t before);
    // Frees the whole chunks that lie before that column, which must be settled.
    void forget(std::int64_t before);
    // Ends the recording after `duration` seconds: every column is final.
    void finish(double duration);
    // The recording goes on after all: later columns follow those that are final.
    void resume();
    void reset();

    // The memory of all chunks, including shared ones.
    std::int64_t bytes() const;

  private:
    struct Chunk {
        std::vector<float> values; // (columnsPerChunk, classes): the mean over windows; empty if rounded
        std::vector<std::uint16_t> rounded;           // the same as float16; empty if not rounded
        std::array<float, columnsPerChunk> weights{}; // of the windows in each column; 0: provisional
    };

    std::shared_ptr<Chunk> newChunk() const;
    std::shared_ptr<Chunk>& chunkOf(std::int64_t column);
    const std::shared_ptr<Chunk>& chunkOf(std::int64_t column) const;
    void growTo(std::int64_t columns);
    void dropChunks(std::int64_t before);
    std::span<float> values(std::int64_t column);
    float& weight(std::int64_t column);
    void copyChunk(std::int64_t begin, Timeline& kept) const;

    int classes_;
    double secondsPerColumn_;
    std::vector<std::shared_ptr<Chunk>> chunks_; // from column forgotten_ on
    std::int64_t columns_ = 0;
    std::int64_t settled_ = 0;
    std::int64_t forgotten_ = 0; // a chunk begins at this column
    std::int64_t rounded_ = 0;   // a chunk begins at this column
    std::optional<double> duration_;
    std::uint64_t generation_;
    std::uint64_t revision_ = 0; // counts the changes of this generation, except rounding and forgetting
    mutable std::vector<float> widened_; // (classes): the rounded column asked for last
};

} // namespace earshot::detection
