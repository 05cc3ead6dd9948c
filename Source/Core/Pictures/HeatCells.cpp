#include "Core/Pictures/HeatCells.h"

#include <algorithm>
#include <cmath>

namespace earshot::pictures {

HeatCells::HeatCells(int classes)
    : cells_(static_cast<std::size_t>(classes))
    , peaks_(static_cast<std::size_t>(classes))
    , row_(static_cast<std::size_t>(classes)) {}

void HeatCells::append(std::span<const float> probabilities) {
    assert(probabilities.size() == peaks_.size());
    for (std::size_t i = 0; i < peaks_.size(); ++i) {
        const float value = probabilities[i] > 0.0f ? std::min(probabilities[i], 1.0f) : 0.0f;
        peaks_[i] = std::max(peaks_[i], value);
        row_[i] = static_cast<std::uint8_t>(std::lround(value * 255.0f));
    }
    cells_.append(row_);
}

std::vector<int> HeatCells::strongest(std::vector<int> first, std::vector<int> then, std::size_t most) const {
    const auto stronger = [this](int a, int b) { return peak(a) != peak(b) ? peak(a) > peak(b) : a < b; };
    std::ranges::sort(first, stronger);
    std::ranges::sort(then, stronger);
    first.insert(first.end(), then.begin(), then.end());
    first.resize(std::min(first.size(), most));
    return first;
}

Raster HeatCells::raster(std::span<const int> classes, int width, double seconds,
                         double secondsPerColumn) const {
    Raster raster(width, static_cast<int>(classes.size()));
    const double secondsPerCell = secondsPerColumn * static_cast<double>(cells_.rowsPerCell());
    const CellColumns columns(cells_.cells(), secondsPerCell, seconds, width);
    for (int x = 0; x < width; ++x) {
        const auto [first, last] = columns.at(x);
        for (std::size_t cell = first; cell < last; ++cell)
            for (int row = 0; row < raster.height; ++row) {
                const auto classIndex = static_cast<std::size_t>(classes[static_cast<std::size_t>(row)]);
                Largest{}(raster.at(x, row), cells_.cell(cell)[classIndex]);
            }
    }
    return raster;
}

} // namespace earshot::pictures
