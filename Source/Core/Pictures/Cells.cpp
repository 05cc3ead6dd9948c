#include "Core/Pictures/Cells.h"

#include "Core/Frontend/LogMelSettings.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace earshot::pictures {

namespace {

constexpr float silent = -95.0f;       // dB; values up to it do not affect the range
constexpr float widest = 75.0f;        // dB; the widest range from the ramp's quiet end to its loud end
constexpr float narrowest = 35.0f;     // dB; the narrowest range
constexpr float quietestTop = -40.0f;  // dB; the lowest loud end: the hiss of an empty recording stays dark
constexpr double noiseShare = 0.05;    // share of values below the range
constexpr double loudestShare = 0.001; // share of values above the range

float powerOf(float decibels) {
    if (!std::isfinite(decibels)) decibels = frontend::silenceDecibels;
    constexpr float bitsPerDecibel = 0.33219281f; // log2(10) / 10
    return std::exp2(std::clamp(decibels, frontend::silenceDecibels, 100.0f) * bitsPerDecibel);
}

float nth(std::vector<float>& values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

DecibelRange rangeOf(const std::vector<float>& decibels) {
    std::vector<float> heard;
    std::ranges::copy_if(decibels, std::back_inserter(heard), [](float value) { return value > silent; });
    if (heard.empty()) return {};
    // The range is in whole decibels, because the legend shows it.
    const float high = std::ceil(std::max(nth(heard, 1.0 - loudestShare), quietestTop));
    const float low = std::floor(nth(heard, noiseShare));
    return {std::clamp(low, high - widest, high - narrowest), high};
}

} // namespace

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

SpectrogramCells::SpectrogramCells(int bands)
    : cells_(static_cast<std::size_t>(bands))
    , powers_(static_cast<std::size_t>(bands)) {}

void SpectrogramCells::append(std::span<const float> logMel) {
    const std::size_t bands = powers_.size();
    for (; logMel.size() >= bands; logMel = logMel.subspan(bands)) {
        std::transform(logMel.begin(), logMel.begin() + static_cast<std::ptrdiff_t>(bands), powers_.begin(),
                       powerOf);
        cells_.append(powers_);
    }
}

SpectrogramCells::Picture SpectrogramCells::picture(int width, double seconds, double secondsPerFrame) const {
    const int bands = static_cast<int>(powers_.size());
    const auto pixels = static_cast<std::size_t>(width);
    const double secondsPerCell = secondsPerFrame * static_cast<double>(cells_.rowsPerCell());
    const CellColumns columns(cells_.cells(), secondsPerCell, seconds, width);
    std::vector<float> decibels(powers_.size() * pixels, frontend::silenceDecibels); // (bands, width)
    std::vector<double> sums(powers_.size());
    for (std::size_t x = 0; x < pixels; ++x) {
        const auto [first, last] = columns.at(static_cast<int>(x));
        std::int64_t frames = 0;
        std::ranges::fill(sums, 0.0);
        for (std::size_t cell = first; cell < last; ++cell) {
            frames += cells_.rowsIn(cell);
            const auto values = cells_.cell(cell);
            for (std::size_t band = 0; band < sums.size(); ++band) sums[band] += values[band];
        }
        if (frames == 0) continue;
        for (std::size_t band = 0; band < sums.size(); ++band)
            decibels[band * pixels + x] =
                static_cast<float>(10.0 * std::log10(sums[band] / static_cast<double>(frames)));
    }

    Picture picture{Raster(width, bands), rangeOf(decibels)};
    const auto [low, high] = picture.range;
    for (int band = 0; band < bands; ++band)
        for (int x = 0; x < width; ++x) {
            const float value =
                decibels[static_cast<std::size_t>(band) * pixels + static_cast<std::size_t>(x)];
            const float level = std::clamp((value - low) / (high - low), 0.0f, 1.0f);
            picture.raster.at(x, bands - 1 - band) = static_cast<std::uint8_t>(std::lround(level * 255.0f));
        }
    return picture;
}

} // namespace earshot::pictures
