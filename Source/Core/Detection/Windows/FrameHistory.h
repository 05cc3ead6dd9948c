// The log-mel frames that later windows still need, by their absolute position in the recording. A part of an
// Analyzer: one thread at a time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::detection {

class FrameHistory {
  public:
    explicit FrameHistory(int bands)
        : bands_(static_cast<std::size_t>(bands)) {}

    // Frames so far, those already discarded included.
    std::int64_t end() const { return first_ + static_cast<std::int64_t>(values_.size() / bands_); }

    // (frames, bands): new frames are appended here.
    std::vector<float>& values() { return values_; }

    // (count, bands) from frame `first` on; they must be there.
    std::span<const float> frames(std::int64_t first, int count) const {
        assert(first >= first_ && first + count <= end());
        return std::span(values_).subspan(static_cast<std::size_t>(first - first_) * bands_,
                                          static_cast<std::size_t>(count) * bands_);
    }

    // Frames before this one are not asked for again.
    void discardBefore(std::int64_t frame) {
        const auto unneeded = static_cast<std::size_t>(frame - first_) * bands_;
        if (unneeded < values_.size() / 2) return; // keeps the cost of moving the rest in proportion
        values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(unneeded));
        first_ = frame;
    }

    void reset() {
        values_.clear();
        first_ = 0;
    }

  private:
    std::size_t bands_;
    std::int64_t first_ = 0; // position of values_' first frame
    std::vector<float> values_;
};

} // namespace earshot::detection
