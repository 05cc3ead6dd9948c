// A stream of equally spaced rows of values in bounded memory. Neighbouring rows are joined into cells; when
// there are too many cells, neighbouring cells are joined in pairs. A day thus takes as much memory as a
// minute. One thread at a time.
#pragma once

#include "Core/Pictures/Png.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::pictures {

inline constexpr std::size_t maxCells = 4096; // even; more than one per pixel of long recordings

// Join: a function object that joins a value into another: join(into, value).
template <typename Value, typename Join>
class Cells {
  public:
    explicit Cells(std::size_t width = 0)
        : width_(width) {}

    // row: (width)
    void append(std::span<const Value> row) {
        assert(row.size() == width_);
        const bool complete = rows_ % rowsPerCell_ == 0;
        if (complete && cells() == maxCells) joinPairs();
        if (rows_ % rowsPerCell_ == 0)
            values_.insert(values_.end(), row.begin(), row.end());
        else
            join(&values_[(cells() - 1) * width_], row.data());
        ++rows_;
    }

    std::size_t width() const { return width_; }
    std::size_t cells() const { return width_ == 0 ? 0 : values_.size() / width_; }
    std::int64_t rows() const { return rows_; }
    std::int64_t rowsPerCell() const { return rowsPerCell_; }
    std::int64_t rowsIn(std::size_t cell) const {
        return std::min(rowsPerCell_, rows_ - static_cast<std::int64_t>(cell) * rowsPerCell_);
    }
    // (width)
    std::span<const Value> cell(std::size_t cell) const {
        return std::span(values_).subspan(cell * width_, width_);
    }

  private:
    void join(Value* into, const Value* row) const {
        for (std::size_t i = 0; i < width_; ++i) Join{}(into[i], row[i]);
    }

    void joinPairs() {
        const std::size_t pairs = cells() / 2;
        for (std::size_t pair = 0; pair < pairs; ++pair) {
            Value* const into = &values_[pair * width_];
            const Value* const first = &values_[2 * pair * width_];
            if (pair != 0) std::copy_n(first, width_, into);
            join(into, first + width_);
        }
        values_.resize(pairs * width_);
        rowsPerCell_ *= 2;
    }

    std::size_t width_;
    std::int64_t rows_ = 0;
    std::int64_t rowsPerCell_ = 1;
    std::vector<Value> values_; // (cells, width)
};

struct Largest {
    void operator()(std::uint8_t& into, std::uint8_t value) const { into = value > into ? value : into; }
};
struct Sum {
    void operator()(float& into, float value) const { into += value; }
};

// Maps each pixel of a picture's width to its cells. If cells are wider than pixels, several pixels share a
// cell; if they are narrower, each cell belongs to the pixel in which it ends. Immutable: any thread.
class CellColumns {
  public:
    // secondsPerCell > 0; seconds: of the whole width.
    CellColumns(std::size_t cells, double secondsPerCell, double seconds, int width)
        : cells_(cells)
        , cellsPerPixel_(seconds / secondsPerCell / width) {}

    struct Range {
        std::size_t first, last; // last is excluded; empty beyond the recording
    };
    Range at(int pixel) const {
        const auto bounded = [&](double cell) {
            return static_cast<std::size_t>(std::min(cell + 1e-6, static_cast<double>(cells_)));
        };
        const std::size_t first = bounded(pixel * cellsPerPixel_);
        const std::size_t last = std::max(first + 1, bounded((pixel + 1) * cellsPerPixel_));
        return {first, std::min(last, cells_)};
    }

  private:
    std::size_t cells_;
    double cellsPerPixel_;
};

// Keeps the probabilities of all classes over a recording of any length for one picture: each class's largest
// probability in each of equal periods, as a byte. One thread at a time.
class HeatCells {
  public:
    explicit HeatCells(int classes = 0);

    // probabilities: (classes); NaN counts as 0.
    void append(std::span<const float> probabilities);

    int classes() const { return static_cast<int>(peaks_.size()); }
    float peak(int classIndex) const { return peaks_[static_cast<std::size_t>(classIndex)]; }
    // Returns up to `most` classes: first those of `first`, then those of `then`, each group by falling peak.
    std::vector<int> strongest(std::vector<int> first, std::vector<int> then, std::size_t most) const;
    // Returns one row for each of the classes; its `width` pixels show `seconds`.
    Raster raster(std::span<const int> classes, int width, double seconds, double secondsPerColumn) const;

    std::size_t bytes() const { return cells_.cells() * cells_.width(); }

  private:
    Cells<std::uint8_t, Largest> cells_; // (cells, classes)
    std::vector<float> peaks_;
    std::vector<std::uint8_t> row_;
};

struct DecibelRange {
    float low = -60.0f;
    float high = 10.0f;
};

// Keeps the log-mel spectrogram of a recording of any length for one picture: the mean power of each band in
// each of equal periods. One thread at a time.
class SpectrogramCells {
  public:
    explicit SpectrogramCells(int bands);

    // logMel: (frames, bands) in dB; values that are not finite count as silence.
    void append(std::span<const float> logMel);

    struct Picture {
        Raster raster; // (bands, width), the highest band on top
        DecibelRange range;
    };
    // Returns a picture whose `width` pixels show `seconds` from the first frame on. The range adapts to the
    // recording's levels, so that quiet recordings are as clear as loud ones.
    Picture picture(int width, double seconds, double secondsPerFrame) const;

    std::size_t bytes() const { return cells_.cells() * cells_.width() * sizeof(float); }

  private:
    Cells<float, Sum> cells_; // sums of power
    std::vector<float> powers_;
};

} // namespace earshot::pictures
