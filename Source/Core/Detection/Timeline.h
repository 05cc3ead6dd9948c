// What was heard when: columns of class probabilities on the absolute token grid, one every 0.32 s.
//
// Overlapping windows are averaged per column. A column is settled once no later window can reach it, and
// provisional while only a stand-in for a window that is still to come; stand-ins are replaced, never
// averaged. Columns are kept in fixed chunks, so that growing never copies what is there. One thread at a
// time.
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
    Timeline(int classes, double secondsPerColumn);

    int classes() const { return classes_; }
    double secondsPerColumn() const { return secondsPerColumn_; }
    std::int64_t columns() const { return columns_; } // settled or not
    std::int64_t settled() const { return settled_; } // the first so many columns are final
    bool provisional(std::int64_t column) const;
    // Another one for every timeline and after every reset(): everything was replaced.
    std::uint64_t generation() const { return generation_; }

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

    // probabilities: (columns, classes) of one window from column `first` on, which is neither settled nor
    // beyond columns().
    void add(std::int64_t first, std::span<const float> probabilities);
    // Likewise, for columns that no add() has reached yet: replaced by the next call for them of either kind.
    void setProvisional(std::int64_t first, std::span<const float> probabilities);
    // The first so many columns are final.
    void settle(std::int64_t columns);
    // The recording ended after so many seconds: every column is final.
    void finish(double duration);
    void reset();

  private:
    static constexpr std::int64_t columnsPerChunk = 256; // 82 s; 0.5 MB for 527 classes
    struct Chunk {
        std::unique_ptr<float[]> values;          // (columnsPerChunk, classes): the mean over windows
        std::array<int, columnsPerChunk> windows; // averaged in each column; 0 is provisional
    };

    void growTo(std::int64_t columns);
    std::span<float> values(std::int64_t column);
    int& windows(std::int64_t column);

    int classes_;
    double secondsPerColumn_;
    std::uint64_t generation_;
    std::vector<Chunk> chunks_;
    std::int64_t columns_ = 0;
    std::int64_t settled_ = 0;
    std::optional<double> duration_;
};

} // namespace earshot::detection
