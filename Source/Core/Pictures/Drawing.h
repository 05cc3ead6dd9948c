// How the picture of a recording looks: title, time ruler, spectrogram, a lane for each of its strongest
// sounds with its events outlined, and a legend. As the app draws it, in its dark theme.
// Pure functions: any thread.
#pragma once

#include "Core/Pictures/Cells.h"

#include <string>
#include <vector>

namespace earshot::pictures {

inline constexpr int plotWidth = 1400; // pixels: of the rasters below

struct Span {
    double onset = 0.0, offset = 0.0; // seconds
    float peak = 0.0f;                // probability
};

struct Lane {
    std::string name;        // valid UTF-8
    std::vector<Span> spans; // by onset
};

struct FrequencyLabel {
    double position = 0.0; // of the spectrogram's height, from its top
    std::string text;
};

struct PictureContent {
    std::string title;   // valid UTF-8
    std::string details; // a line below it
    std::string note;    // what is not shown
    double seconds = 0.0;
    SpectrogramCells::Picture spectrogram; // raster: plotWidth wide
    std::vector<FrequencyLabel> frequencies;
    Raster heat; // plotWidth wide, a row a lane
    std::vector<Lane> lanes;
};

std::string drawSvg(const PictureContent& content);

} // namespace earshot::pictures
