// Draws the picture of a recording as SVG: title, time ruler, spectrogram, a lane for each of its strongest
// sounds with the events outlined, and a legend. The picture looks like the app in its dark theme.
// Pure functions: any thread.
#pragma once

#include "Core/Pictures/Cells.h"

#include <string>
#include <vector>

namespace earshot::pictures {

inline constexpr int plotWidth = 1400; // width of the rasters below, in pixels

struct Span {
    double onset = 0.0, offset = 0.0; // seconds
    float peak = 0.0f;                // probability
};

struct Lane {
    std::string name;        // valid UTF-8
    std::vector<Span> spans; // by onset
};

struct FrequencyLabel {
    double position = 0.0; // 0 at the spectrogram's top, 1 at its bottom
    std::string text;
};

struct PictureContent {
    std::string title;   // valid UTF-8
    std::string details; // a line below it
    std::string note;    // says which sounds are not shown; may be empty
    double seconds = 0.0;
    SpectrogramCells::Picture spectrogram; // raster: plotWidth wide
    std::vector<FrequencyLabel> frequencies;
    Raster heat; // plotWidth wide, one row for each lane
    std::vector<Lane> lanes;
};

std::string drawSvg(const PictureContent& content);

} // namespace earshot::pictures
