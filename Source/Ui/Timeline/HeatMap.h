// Probabilities as bytes on the pixel grid, for all classes: a bin is a column of the timeline while columns
// are at least a pixel wide, else a pixel with the largest probability of its columns, so that a short loud
// sound is seen however far one is zoomed out. Only bins that are new or revised are read again.
// Message thread.
#pragma once

#include "Core/Detection/Windows/Timeline.h"
#include "Ui/Timeline/PixelGrid.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::ui {

class HeatMap {
  public:
    void clear();
    // Columns from this one on were revised, or are new.
    void revise(std::int64_t column);
    // Reads what the grid shows and is not known yet.
    void update(const detection::Timeline& timeline, const PixelGrid& grid);

    // One class over the physical pixels [from, from + values.size()) counted from the grid's left edge;
    // 0 beyond what was heard.
    void row(int classIndex, int from, std::span<std::uint8_t> values) const;

    // Physical pixel from the grid's left edge, clipped to the grid: where a column begins.
    int pixelOf(std::int64_t column) const;
    // Likewise, where what is kept begins, and where what was heard ends.
    int beginPixel() const { return pixelOf(kept_); }
    int endPixel() const { return endPixel_; }

  private:
    struct Range {
        std::int64_t first = 0, last = 0; // bins, `last` excluded
    };

    bool pooled() const { return cellPixels_ < 1.0; }
    std::int64_t binAt(std::int64_t pixel) const; // counted from time 0
    std::int64_t pixelAt(std::int64_t bin) const;
    std::int64_t firstColumn(std::int64_t bin) const;
    std::span<std::uint8_t> cells(std::int64_t bin);
    void read(const detection::Timeline& timeline, std::int64_t bin);

    PixelGrid grid_;
    int classes_ = 0;
    std::int64_t kept_ = 0;   // the first column
    double cellPixels_ = 1.0; // physical pixels in a column
    int endPixel_ = 0;
    std::int64_t capacity_ = 0;       // bins
    Range known_;                     // bins that are up to date
    std::vector<std::uint8_t> bytes_; // (capacity, classes), bin i at i % capacity
    std::vector<float> largest_;      // (classes)
};

} // namespace earshot::ui
