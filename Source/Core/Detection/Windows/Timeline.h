// What was heard when: columns of class probabilities on the absolute token grid, one every 0.32 s.
//
// Overlapping windows are averaged per column. A column is settled once no later window can reach it, and
// provisional while only a stand-in for a window that is still to come; stand-ins are replaced, never
// averaged. Columns are kept in fixed chunks, so that growing never copies what is there, and whole chunks
// can be given back once nobody asks for them any more.
//
// One thread writes and reads (the worker). copySince() may be called from another thread meanwhile; what it
// fills is a mirror, which belongs to its caller and shares every chunk that cannot change any more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace earshot::detection {

class Timeline {
  public:
    Timeline(int classes, double secondsPerColumn);
    Timeline(Timeline&&) noexcept = default;
    Timeline& operator=(Timeline&&) noexcept = default;

    // Any thread: brings the mirror up to date; true when it changed. Columns that were settled in the mirror
    // stay as they are there, unless the generation is another one. What is forgotten here is forgotten
    // there.
    bool copySince(Timeline& mirror) const;
    // Changes with reset(); a mirror has its original's.
    std::uint64_t generation() const { return generation_; }

    int classes() const { return classes_; }
    double secondsPerColumn() const { return secondsPerColumn_; }
    std::int64_t columns() const { return columns_; }     // settled or not
    std::int64_t settled() const { return settled_; }     // the first so many columns are final
    bool provisional(std::int64_t column) const;          // not settled, and no window has reached it
    std::int64_t firstKept() const { return forgotten_; } // columns before it must not be asked for

    // (classes) probabilities. Valid until the column is written again or reset() is called.
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
    // Gives back what chunks hold nothing but columns before that one, which are settled.
    void forget(std::int64_t before);
    // The recording ended after so many seconds: every column is final.
    void finish(double duration);
    void reset();

  private:
    static constexpr std::int64_t columnsPerChunk = 256; // 82 s; 0.5 MB for 527 classes
    struct Chunk {
        explicit Chunk(int classes);

        std::vector<float> values;                  // (columnsPerChunk, classes): the mean over windows
        std::array<int, columnsPerChunk> windows{}; // averaged in each column; 0 is provisional
    };

    void growTo(std::int64_t columns);
    std::span<float> values(std::int64_t column);
    int& windows(std::int64_t column);
    void dropChunks(std::int64_t before);
    void copyChunk(std::size_t chunk, std::int64_t firstColumn, Timeline& mirror) const;

    // Between what the writer changes and copySince().
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
    int classes_;
    double secondsPerColumn_;
    std::vector<std::shared_ptr<Chunk>> chunks_;
    std::int64_t columns_ = 0;
    std::int64_t settled_ = 0;
    std::int64_t forgotten_ = 0; // whole chunks, which are null
    std::optional<double> duration_;
    std::uint64_t generation_;
    std::uint64_t revision_ = 0; // of this generation: counts changes
};

} // namespace earshot::detection
