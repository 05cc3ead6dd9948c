// Pixels of pictures: as PNG files, without dates or other things that change from run to run, and from SVG
// drawings. Pure functions: any thread. The only user of libpng is Png.cpp, of librsvg and cairo
// Rendering.cpp.
#pragma once

#include "Core/Base/ColourRamp.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::pictures {

// Levels 0 to 255; the colours come later.
struct Raster {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> levels; // (height, width), top row first

    Raster() = default;
    Raster(int wide, int high)
        : width(wide)
        , height(high)
        , levels(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high)) {}

    std::uint8_t& at(int x, int y) { return levels[index(x, y)]; }
    std::uint8_t at(int x, int y) const { return levels[index(x, y)]; }

  private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    }
};

// With the ramp as its palette: a byte a pixel before compression.
std::string encodePng(const Raster& raster, const ColourRamp& ramp);

struct ColourImage {
    int width = 0;
    int height = 0;
    std::vector<Rgb> pixels; // (height, width), top row first
};
std::string encodePng(const ColourImage& image);

// Whether librsvg is there; Earshot can be built without.
bool canRender();
// An SVG drawing at the size that it states. Throws earshot::Error when this build cannot.
ColourImage render(std::string_view svg);

} // namespace earshot::pictures
