#include "Core/Frontend/LogMelSettings.h"
#include "Core/Pictures/Cells.h"

#include "Support/Catch.h"

#include <algorithm>
#include <limits>
#include <ranges>
#include <tuple>
#include <vector>

namespace {

using namespace earshot::pictures;

constexpr int bands = 16;
constexpr int width = 200;

// Quiet but for one band over one stretch of frames.
SpectrogramCells oneTone(std::int64_t frames, int band, std::int64_t first, std::int64_t last) {
    SpectrogramCells cells(bands);
    std::vector<float> frame(bands);
    for (std::int64_t i = 0; i < frames; ++i) {
        std::ranges::fill(frame, -70.0f);
        if (i >= first && i < last) frame[static_cast<std::size_t>(band)] = -5.0f;
        cells.append(frame);
    }
    return cells;
}

} // namespace

TEST_CASE("the loudest band is brightest at its own height and time, for short and long recordings",
          "[unit]") {
    for (const std::int64_t frames : {200, 1000, 5000, 60'000}) {
        INFO(frames << " frames");
        const int band = 11;
        const auto cells = oneTone(frames, band, frames / 4, frames / 2);
        const auto picture = cells.picture(width, static_cast<double>(frames) * 0.01, 0.01);
        for (const auto& [x, y, bright] : {std::tuple{width * 3 / 8, bands - 1 - band, true},
                                           std::tuple{width * 3 / 8, bands - 2 - band, false},
                                           std::tuple{width * 3 / 8, bands - band, false},
                                           std::tuple{width / 4 - 3, bands - 1 - band, false},
                                           std::tuple{width / 4 + 3, bands - 1 - band, true},
                                           std::tuple{width / 2 - 3, bands - 1 - band, true},
                                           std::tuple{width / 2 + 3, bands - 1 - band, false}}) {
            INFO("pixel " << x << ", " << y);
            REQUIRE((picture.raster.at(x, y) > 240) == bright);
            REQUIRE((picture.raster.at(x, y) < 40) == !bright);
        }
    }
}

TEST_CASE("a pixel of a long recording has the mean power of its stretch", "[unit]") {
    // Every other frame 10 dB, the others -10 dB: 7.03 dB in the mean. A second half of 0 dB beside it.
    SpectrogramCells cells(1);
    constexpr int frames = 40'000;
    for (int i = 0; i < frames; ++i) {
        const float level = i >= frames / 2 ? -25.0f : i % 2 == 0 ? 10.0f : -10.0f;
        cells.append(std::vector<float>{level});
    }
    const auto [raster, range] = cells.picture(width, frames * 0.01, 0.01);
    const float level = static_cast<float>(raster.at(20, 0)) / 255.0f;
    REQUIRE(range.low + level * (range.high - range.low) == Approx(7.03f).margin(0.2));
}

TEST_CASE("the range of levels follows the recording, within limits", "[unit]") {
    const auto rangeFor = [](float quiet, float loud) {
        SpectrogramCells cells(bands);
        for (int i = 0; i < 400; ++i) cells.append(std::vector<float>(bands, i < 200 ? quiet : loud));
        return cells.picture(width, 4.0, 0.01).range;
    };
    REQUIRE(rangeFor(-70.0f, -20.0f).high == Approx(-20.0f).margin(1.1));
    REQUIRE(rangeFor(-70.0f, -20.0f).low == Approx(-70.0f).margin(1.1));
    // A steady hiss is not stretched over all colours, and the quietest one stays dark.
    const auto hiss = rangeFor(-90.0f, -89.0f);
    REQUIRE(hiss.high >= -45.0f);
    REQUIRE(hiss.high - hiss.low >= 30.0f);
    const auto wide = rangeFor(-94.0f, 20.0f);
    REQUIRE(wide.high - wide.low <= 80.0f);
}

TEST_CASE("silence, and values that are no numbers, are dark", "[unit]") {
    for (const float value :
         {earshot::frontend::silenceDecibels, std::numeric_limits<float>::quiet_NaN(),
          -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()}) {
        SpectrogramCells cells(bands);
        for (int i = 0; i < 50; ++i) cells.append(std::vector<float>(bands, value));
        const auto picture = cells.picture(width, 0.5, 0.01);
        REQUIRE(std::ranges::all_of(picture.raster.levels, [](std::uint8_t level) { return level == 0; }));
    }
    const auto none = SpectrogramCells(bands).picture(width, 1.0, 0.01);
    REQUIRE(std::ranges::all_of(none.raster.levels, [](std::uint8_t level) { return level == 0; }));
}

TEST_CASE("a class is as bright as its probability at its own time, for short and long recordings",
          "[unit]") {
    for (const int columns : {2, 50, 200, 5000, 40'000}) {
        INFO(columns << " columns");
        HeatCells cells(3);
        const int marked = columns / 2;
        for (int i = 0; i < columns; ++i)
            cells.append(std::vector<float>{0.0f, i == marked ? 0.8f : 0.1f, 1.0f});
        const std::vector<int> rows = {2, 1};
        const Raster raster = cells.raster(rows, width, columns * 0.32, 0.32);
        REQUIRE(raster.height == 2);
        for (int x = 0; x < width; ++x) {
            REQUIRE(raster.at(x, 0) == 255);
            const double begin = static_cast<double>(x) * columns / width, end = (x + 1.0) * columns / width;
            if (begin >= marked && end <= marked + 1) REQUIRE(raster.at(x, 1) == 204);
            if (end < marked - 8 * columns / width || begin > marked + 1 + 8 * columns / width)
                REQUIRE(raster.at(x, 1) == 26);
        }
        // One column of hours is still seen.
        REQUIRE(std::ranges::max(raster.levels | std::views::drop(width)) == 204);
    }
}

TEST_CASE("the strongest classes come by their peaks, those of the first list before others", "[unit]") {
    HeatCells cells(5);
    cells.append(std::vector<float>{0.1f, 0.9f, 0.3f, 0.0f, 0.2f});
    cells.append(std::vector<float>{0.5f, 0.0f, 0.3f, 0.7f, std::numeric_limits<float>::quiet_NaN()});
    REQUIRE(cells.strongest({}, {0, 1, 2, 3, 4}, 12) == std::vector{1, 3, 0, 2, 4});
    REQUIRE(cells.strongest({4, 0}, {1, 2, 3}, 12) == std::vector{0, 4, 1, 3, 2});
    REQUIRE(cells.strongest({4, 0}, {1, 2, 3}, 3) == std::vector{0, 4, 1});
    REQUIRE(cells.peak(4) == 0.2f);
}
