// Pixels as PNG files, without dates or other things that change from run to run. Pure functions: any thread.
// The only user of libpng is Png.cpp.
#pragma once

#include "Core/Base/ColourRamp.h"
#include "Core/Pictures/Raster.h"

#include <string>
#include <vector>

namespace earshot::pictures {

// With the ramp as its palette: a byte a pixel before compression.
std::string encodePng(const Raster& raster, const ColourRamp& ramp);

struct ColourImage {
    int width = 0;
    int height = 0;
    std::vector<Rgb> pixels; // (height, width), top row first
};
std::string encodePng(const ColourImage& image);

} // namespace earshot::pictures
