// The part of a picture that is made of pixels: levels 0 to 255, the colours come later. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace earshot::pictures {

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

} // namespace earshot::pictures
