// Round times on the ruler, in the time people see (the host's, where it plays), and the places where that
// time jumps. Pure functions: any thread.
#pragma once

#include "Core/Streaming/TimeMap.h"
#include "Ui/Timeline/PixelGrid.h"

#include <juce_core/juce_core.h>

#include <vector>

namespace earshot::ui {

struct Tick {
    float x = 0.0f; // logical pixels from the grid's left edge
    juce::String text;
};

struct Ticks {
    std::vector<Tick> times;
    std::vector<float> jumps; // logical pixels
};

// Seconds between ticks that are at least `fewest` logical pixels apart: 0.5, 1, 2, 5, 10, 15, 30 s, ...
double tickStep(double pixelsPerSecond, double fewest);

Ticks ticksOn(const PixelGrid& grid, const streaming::TimeMap& times);

} // namespace earshot::ui
