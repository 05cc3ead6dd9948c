// The time on screen in whole physical pixels. Everything under the ruler is drawn on this grid, so that a
// pixel is the same moment everywhere and scrolling moves images without repainting them. A plain value.
#pragma once

#include "Ui/TimeAxis.h"

#include <cmath>
#include <cstdint>

namespace earshot::ui {

struct PixelGrid {
    double pixelsPerSecond = 1.0; // physical
    std::int64_t first = 0;       // physical pixels from time 0 to the left edge
    int width = 0;                // physical pixels
    float scale = 1.0f;           // physical pixels in a logical one

    static PixelGrid of(const TimeAxis& axis, int logicalWidth, float scale) {
        PixelGrid grid;
        grid.scale = scale;
        grid.width = static_cast<int>(std::ceil(static_cast<float>(logicalWidth) * scale));
        grid.pixelsPerSecond =
            static_cast<double>(logicalWidth) * static_cast<double>(scale) / axis.visible();
        grid.first = std::llround(axis.start() * grid.pixelsPerSecond);
        return grid;
    }

    // time at the left edge of a physical pixel, which is counted from time 0
    double seconds(std::int64_t pixel) const { return static_cast<double>(pixel) / pixelsPerSecond; }
    double physical(double seconds) const { // pixels from the left edge
        return seconds * pixelsPerSecond - static_cast<double>(first);
    }
    float x(double seconds) const { // logical pixels from the left edge
        return static_cast<float>(physical(seconds)) / scale;
    }

    bool operator==(const PixelGrid&) const = default;
};

} // namespace earshot::ui
