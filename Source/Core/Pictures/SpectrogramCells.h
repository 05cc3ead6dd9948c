// The log-mel spectrogram of a recording of any length, kept for one picture: the mean power of each band
// over equal stretches of time. One thread at a time.
#pragma once

#include "Core/Pictures/Cells.h"
#include "Core/Pictures/Raster.h"

#include <span>
#include <vector>

namespace earshot::pictures {

struct DecibelRange {
    float low = -60.0f;
    float high = 10.0f;
};

class SpectrogramCells {
  public:
    explicit SpectrogramCells(int bands);

    // logMel: (frames, bands) in dB; values that are not finite count as silence.
    void append(std::span<const float> logMel);

    struct Picture {
        Raster raster; // (bands, width), the highest band on top
        DecibelRange range;
    };
    // `seconds` over `width` pixels, from the first frame on. The range follows what there is, so that quiet
    // recordings can be read as well as loud ones.
    Picture picture(int width, double seconds, double secondsPerFrame) const;

    std::size_t bytes() const { return cells_.cells() * cells_.width() * sizeof(float); }

  private:
    Cells<float, Sum> cells_; // sums of power
    std::vector<float> powers_;
};

} // namespace earshot::pictures
