// The lanes' cells as a picture at physical size: scrolled by whole pixels, with only what is new or revised
// painted again. Columns that may still change are hatched. Between lanes, beyond what was heard and before
// what is kept it has the background's colour: an opaque picture is copied to the screen, a transparent one
// blended. Message thread.
#pragma once

#include "Core/Detection/Windows/Timeline.h"
#include "Ui/Theme.h"
#include "Ui/Timeline/PixelGrid.h"

#include <juce_graphics/juce_graphics.h>

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::ui {

// Probabilities as bytes on the pixel grid, for all classes: a bin is a column of the timeline while columns
// are at least a pixel wide, else a pixel with the largest probability of its columns, so that a short loud
// sound is seen however far one is zoomed out. Only bins that are new or revised are read again.
// Message thread.
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

class LaneImage {
  public:
    // Physical pixels.
    struct Row {
        int classIndex = 0;
        int top = 0;
        int height = 0;

        bool operator==(const Row&) const = default;
    };

    void clear(); // everything is painted again next time
    // Columns from this one on were revised, or are new.
    void revise(std::int64_t column);

    void update(const detection::Timeline& timeline, const PixelGrid& grid, int height,
                std::span<const Row> rows, const Palette& palette);
    const juce::Image& image() const { return image_; }
    int endPixel() const { return heat_.endPixel(); } // physical, where what was heard ends

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
