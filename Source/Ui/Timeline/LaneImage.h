// The lanes' cells as a picture at physical size: scrolled by whole pixels, with only what is new or revised
// painted again. Columns that may still change are hatched. Between lanes, beyond what was heard and before
// what is kept it has the background's colour: an opaque picture is copied to the screen, a transparent one
// blended. Message thread.
#pragma once

#include "Ui/Theme.h"
#include "Ui/Timeline/HeatMap.h"

#include <juce_graphics/juce_graphics.h>

#include <span>
#include <vector>

namespace earshot::ui {

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
