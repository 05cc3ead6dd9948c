// The lanes' cells as an image in physical pixels. It scrolls by whole pixels and paints only new or revised
// columns. Columns that may still change are hatched. The background's colour fills what lies between lanes,
// after the end and before the kept columns, because an opaque image is copied to the screen while a
// transparent one is blended. Message thread.
#pragma once

#include "Core/Detection/Timeline.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/PixelGrid.h"

#include <juce_graphics/juce_graphics.h>

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::ui {

// Probabilities as bytes on the pixel grid, for all classes. A bin is one column of the timeline while
// columns are at least a pixel wide. Otherwise it is one pixel with the largest probability of its columns,
// so that a short loud sound stays visible at every zoom. Only new or revised bins are read again. Message
// thread.
class HeatMap {
  public:
    void clear();
    // Call it when columns from this one on are new or revised.
    void revise(std::int64_t column);
    // Reads the bins of the grid that are not up to date.
    void update(const detection::Timeline& timeline, const PixelGrid& grid);

    // The values of one class over the physical pixels [from, from + values.size()), counted from the grid's
    // left edge. They are 0 after the end of the stream.
    void row(int classIndex, int from, std::span<std::uint8_t> values) const;

    // The physical pixel where a column begins, from the grid's left edge, clipped to the grid.
    int pixelOf(std::int64_t column) const;
    // The physical pixels where the kept columns begin and where the stream ends, likewise.
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
    std::int64_t kept_ = 0;   // the first kept column
    double cellPixels_ = 1.0; // physical pixels in a column
    int endPixel_ = 0;
    std::int64_t capacity_ = 0;       // bins
    Range known_;                     // bins that are up to date
    std::vector<std::uint8_t> bytes_; // (capacity, classes), bin i at i % capacity
    std::vector<float> largest_;      // (classes)
};

class LaneImage {
  public:
    // Physical pixels.
    struct Row {
        int classIndex = 0;
        detection::SoundFamily family = detection::SoundFamily::unplaced; // whose ramp its cells have
        int top = 0;
        int height = 0;

        bool operator==(const Row&) const = default;
    };

    void clear(); // everything is painted again next time
    // Call it when columns from this one on are new or revised.
    void revise(std::int64_t column);

    void update(const detection::Timeline& timeline, const PixelGrid& grid, int height,
                std::span<const Row> rows, const Palette& palette);
    const juce::Image& image() const { return image_; }
    int endPixel() const { return heat_.endPixel(); } // physical pixel where the stream ends

  private:
    void paint(int from, int to, std::int64_t settled, const Palette& palette);
    void hatch(juce::PixelRGB* line, int y, int from, int to, juce::Colour colour) const;

    HeatMap heat_;
    juce::Image image_;
    PixelGrid grid_;
    std::vector<Row> rows_;
    const Palette* palette_ = nullptr;
    std::int64_t revised_ = 0; // column
    std::int64_t kept_ = 0;    // the first column
    std::vector<std::uint8_t> values_;
    std::vector<juce::PixelRGB> colours_;
};

} // namespace earshot::ui
