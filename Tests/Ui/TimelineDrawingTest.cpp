// What the timeline's pictures and ruler are made of.
#include "Core/Base/Clock.h"
#include "Ui/Timeline/HoverTip.h"
#include "Ui/Timeline/LaneImage.h"
#include "Ui/Timeline/Ruler.h"
#include "Ui/Timeline/SpectrogramView.h"

#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace earshot;
using namespace earshot::ui;

namespace {

constexpr int classes = 3;

float valueAt(std::int64_t column, int classIndex) {
    return static_cast<float>((column * 37 + classIndex * 101) % 256) / 255.0f;
}

void grow(detection::Timeline& timeline, std::int64_t columns) {
    for (auto i = timeline.columns(); i < columns; ++i) {
        std::vector<float> values;
        for (int c = 0; c < classes; ++c) values.push_back(valueAt(i, c));
        timeline.add(i, values);
    }
}

PixelGrid gridOf(double start, double visible, int width, float scale = 1.0f) {
    PixelGrid grid;
    grid.scale = scale;
    grid.width = width;
    grid.pixelsPerSecond = width / visible;
    grid.first = std::llround(start * grid.pixelsPerSecond);
    return grid;
}

} // namespace

TEST_CASE("a heat map holds each pixel's largest probability, wherever it was scrolled before", "[unit]") {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any(0.0, 1.0);
    detection::Timeline timeline(classes, 0.32);
    HeatMap map;
    for (int round = 0; round < 60; ++round) {
        const auto known = timeline.columns();
        grow(timeline, known + static_cast<std::int64_t>(random() % 200));
        map.revise(known);
        const double length = static_cast<double>(timeline.columns()) * 0.32;
        const double visible = round % 5 < 3 ? 20.0 : 5.0 + any(random) * 3000.0;
        const auto grid = gridOf(any(random) * length, visible, 240);
        map.update(timeline, grid);
        std::vector<std::uint8_t> row(240);
        const int lane = round % classes;
        map.row(lane, 0, row);
        const double cell = 0.32 * grid.pixelsPerSecond;
        for (int x = 0; x < map.endPixel(); ++x) {
            const auto pixel = grid.first + x;
            float expected = 0.0f;
            if (cell >= 1.0) {
                const auto column =
                    static_cast<std::int64_t>(std::floor((static_cast<double>(pixel) + 0.5) / cell));
                if (column < timeline.columns()) expected = valueAt(column, lane);
            } else {
                for (auto column = static_cast<std::int64_t>(static_cast<double>(pixel) / cell) - 2;
                     column < timeline.columns() &&
                     static_cast<double>(column) * cell < static_cast<double>(pixel + 1);
                     ++column)
                    if (column >= 0 && static_cast<double>(column) * cell >= static_cast<double>(pixel))
                        expected = std::max(expected, valueAt(column, lane));
            }
            INFO("round " << round << ", x " << x);
            REQUIRE(int(row[static_cast<std::size_t>(x)]) == static_cast<int>(expected * 255.0f + 0.5f));
        }
        for (int x = map.endPixel(); x < 240; ++x) REQUIRE(row[static_cast<std::size_t>(x)] == 0);
    }
}

TEST_CASE("probabilities that are none are drawn as silence", "[unit]") {
    detection::Timeline timeline(2, 0.32);
    timeline.add(0, std::vector<float>{std::nanf(""), 7.0f});
    HeatMap map;
    map.update(timeline, gridOf(0.0, 5.0, 100));
    std::vector<std::uint8_t> row(1);
    map.row(0, 0, row);
    REQUIRE(int(row[0]) == 0);
    map.row(1, 0, row);
    REQUIRE(int(row[0]) == 255);
}

TEST_CASE("frequencies lie in the strip as in the mel bands, and come back", "[unit]") {
    streaming::SpectrogramHistory history;
    history.reset(64, 0.01, 50.0, 14000.0);
    double last = 1.1;
    for (const double hertz : {100.0, 250.0, 1000.0, 4000.0, 13000.0}) {
        const double position = imageOf(history).position(hertz);
        REQUIRE(position < last);
        REQUIRE(imageOf(history).frequency(position) == Approx(hertz).epsilon(1e-6));
        last = position;
    }
    REQUIRE(imageOf(history).position(1.0) == 1.0);
    REQUIRE(imageOf(history).position(90000.0) == 0.0);
}

TEST_CASE("ticks stand at round times of what is shown, apart enough to be read", "[unit]") {
    streaming::TimeMap times;
    times.add({0.0, 100.25, true});
    times.add({60.0, 20.0, true}); // the host jumped
    for (const double visible : {5.0, 30.0, 90.0, 600.0, 40000.0}) {
        const auto grid = gridOf(3.0, visible, 1600, 2.0f);
        const double step = roundStep(grid.pixelsPerSecond / 2.0, 90.0, 0.5);
        const auto ticks = ticksOn(grid, times);
        REQUIRE(!ticks.times.empty());
        REQUIRE(ticks.times.size() < 12);
        for (std::size_t i = 0; i < ticks.times.size(); ++i) {
            const double stream =
                grid.seconds(grid.first) + static_cast<double>(ticks.times[i].x) * 2.0 / grid.pixelsPerSecond;
            const double shown = times.shown(stream + 1e-6);
            REQUIRE(std::abs(std::remainder(shown, step)) < 2.0 / grid.pixelsPerSecond + 1e-3);
            if (i > 0) REQUIRE(ticks.times[i].x - ticks.times[i - 1].x >= 60.0f);
        }
        const bool inView = 60.0 < 3.0 + visible;
        REQUIRE(ticks.jumps.size() == (inView ? 1u : 0u));
    }
}

TEST_CASE("a loop of the host's makes no more marks than can be told apart", "[unit]") {
    streaming::TimeMap times;
    for (int i = 0; i < 5000; ++i) times.add({i * 0.5, 8.0, true});
    const auto ticks = ticksOn(gridOf(0.0, 2500.0, 800), times);
    REQUIRE(ticks.jumps.size() <= 200);
    REQUIRE(ticks.times.size() <= 14);
}

TEST_CASE("another play rate of the host's spreads the times and makes no mark", "[unit]") {
    for (const double rate : {0.5, 2.0, -1.0, 0.0}) {
        CAPTURE(rate);
        streaming::TimeMap times;
        times.add({.stream = 0.0, .shown = 100.0, .host = true});
        times.add({.stream = 20.0, .shown = 120.05, .host = true, .rate = rate});
        times.add({.stream = 70.0, .shown = 90.25, .host = true, .rate = rate}); // loops
        const auto grid = gridOf(30.0, 60.0, 1600);
        const auto ticks = ticksOn(grid, times);
        REQUIRE(ticks.jumps.size() == 1);
        REQUIRE(grid.seconds(grid.first) + static_cast<double>(ticks.jumps[0]) / grid.pixelsPerSecond ==
                Approx(70.0).margin(0.1));
        REQUIRE(ticks.times.empty() == (rate == 0.0));
        const double step = roundStep(grid.pixelsPerSecond, 90.0, 0.5);
        for (const auto& tick : ticks.times) {
            const double stream =
                grid.seconds(grid.first) + static_cast<double>(tick.x) / grid.pixelsPerSecond;
            REQUIRE(std::abs(std::remainder(times.shown(stream + 1e-6), step)) < 0.1);
        }
    }
}

TEST_CASE("what is advised to let a near miss in would do so", "[unit]") {
    detection::NearMiss miss;
    miss.reason = detection::Rejection::belowThreshold;
    miss.found = 0.469;
    REQUIRE(letIn(miss).contains("0.46"));
    miss.reason = detection::Rejection::tooShort;
    miss.found = 0.64;
    REQUIRE(letIn(miss).contains("0.64 s"));
    miss.reason = detection::Rejection::filtered;
    REQUIRE(letIn(miss).contains("median"));
    miss.reason = detection::Rejection::unsure;
    miss.found = 0.229;
    REQUIRE(letIn(miss).contains("0.22"));
}

TEST_CASE("what may still change is hatched at any scale of the display", "[unit]") {
    detection::Timeline timeline(classes, 0.32);
    grow(timeline, 30);
    timeline.settle(10);
    const auto& palette = Theme::palette(ThemeChoice::dark);
    const LaneImage::Row row{.classIndex = 0, .top = 0, .height = 8};
    for (const float scale : {0.05f, 0.16f, 0.5f, 1.0f, 2.0f}) {
        LaneImage image;
        image.update(timeline, gridOf(0.0, 10.0, 100, scale), 8, {&row, 1}, palette);
        REQUIRE(image.image().getWidth() == 100);
        REQUIRE(image.endPixel() > 90);
    }
}

TEST_CASE("what is kept no more is drawn as background", "[unit]") {
    detection::Timeline timeline(classes, 0.32);
    streaming::SpectrogramHistory history;
    history.reset(4, 0.01, 50.0, 14000.0);
    LaneImage lanes;
    SpectrogramStrip strip;
    HeatMap map;
    const auto& palette = Theme::palette(ThemeChoice::dark);
    const LaneImage::Row row{.classIndex = 0, .top = 0, .height = 8};
    const auto loud = [&](const juce::Image& image, int x) {
        return image.getPixelAt(x, 4) != palette.background;
    };
    while (timeline.columns() < 8000) {
        timeline.add(timeline.columns(), std::vector<float>(classes, 0.8f));
        history.append(std::vector<float>(std::size_t{32} * 4, 20.0f));
    }
    timeline.settle(8000);
    for (const double visible : {1800.0, 400.0, 1800.0}) { // pixels of many columns, and of one
        const auto grid = gridOf(600.0, visible, 720);
        lanes.update(timeline, grid, 8, {&row, 1}, palette);
        strip.update(history, grid, 8, {}, palette);
        const double columnsSince = timeline.start(timeline.firstKept());
        const double framesSince = static_cast<double>(history.firstKept()) * 0.01;
        map.update(timeline, grid);
        for (int x = 0; x < lanes.endPixel(); ++x) {
            const double begin = grid.seconds(grid.first + x);
            const double end = grid.seconds(grid.first + x + 1);
            INFO("pixel " << x << ", " << begin << " s");
            if (end <= columnsSince - 0.5) REQUIRE_FALSE(loud(lanes.image(), x));
            if (begin >= columnsSince + 0.5) REQUIRE(loud(lanes.image(), x));
            if (end <= framesSince) REQUIRE_FALSE(loud(strip.image(), x));
            if (begin >= framesSince) REQUIRE(loud(strip.image(), x));
        }
        std::vector<std::uint8_t> values(720);
        map.row(0, 0, values);
        for (int x = 0; x < map.beginPixel() - 1; ++x) REQUIRE(int(values[static_cast<std::size_t>(x)]) == 0);
        REQUIRE(int(values[static_cast<std::size_t>(map.beginPixel() + 1)]) == 204);
        // While it is drawn, more goes.
        timeline.forget(timeline.firstKept() + 2304);
        history.forgetOldest();
        history.forgetOldest();
    }
}
