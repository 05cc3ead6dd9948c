// The probabilities of all classes over a recording of any length, kept for one picture: the largest of each
// class over equal stretches of time, as bytes. One thread at a time.
#pragma once

#include "Core/Pictures/Cells.h"
#include "Core/Pictures/Raster.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::pictures {

class HeatCells {
  public:
    explicit HeatCells(int classes = 0);

    // probabilities: (classes); what is not a number counts as 0.
    void append(std::span<const float> probabilities);

    int classes() const { return static_cast<int>(peaks_.size()); }
    float peak(int classIndex) const { return peaks_[static_cast<std::size_t>(classIndex)]; }
    // Up to `most` classes: those of `first`, then of `then`, each by their peaks.
    std::vector<int> strongest(std::vector<int> first, std::vector<int> then, std::size_t most) const;
    // A row for each of the classes; `seconds` over `width` pixels.
    Raster raster(std::span<const int> classes, int width, double seconds, double secondsPerColumn) const;

    std::size_t bytes() const { return cells_.cells() * cells_.width(); }

  private:
    Cells<std::uint8_t, Largest> cells_; // (cells, classes)
    std::vector<float> peaks_;
    std::vector<std::uint8_t> row_;
};

} // namespace earshot::pictures
