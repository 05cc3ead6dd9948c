// Encodes pixels as PNG files and renders SVG drawings to pixels. The files hold no dates or other data that
// change from run to run. Pure functions: any thread. Only Png.cpp uses libpng; only Rendering.cpp uses
// librsvg and cairo.
#pragma once

#include "Core/Base/ColourRamp.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::pictures {

// Levels 0 to 255; a colour ramp gives them colours when they are encoded.
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

// The ramp becomes the palette, so that a pixel takes one byte before compression.
std::string encodePng(const Raster& raster, const ColourRamp& ramp);

struct ColourImage {
    int width = 0;
    int height = 0;
    std::vector<Rgb> pixels; // (height, width), top row first
};
std::string encodePng(const ColourImage& image);

// Whether this build of Earshot has librsvg.
bool canRender();
// Renders an SVG drawing at its own size. Throws earshot::Error if that fails or this build lacks librsvg.
ColourImage render(std::string_view svg);

// The library's name and version, as "libpng 1.6.39".
std::string pngLibrary();
// Likewise of what renders; empty if this build of Earshot has no librsvg.
std::string renderingLibrary();

} // namespace earshot::pictures
