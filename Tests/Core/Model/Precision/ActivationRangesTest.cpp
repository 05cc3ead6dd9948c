#include "Core/Model/Precision/ActivationRanges.h"

#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Model/Network/Calibration.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

#include <cmath>

using namespace earshot;
using model::ValueRange;

namespace {

bool holds(const tensor::ByteScale& scale, float value) {
    return value >= scale.low && value <= scale.low + 255.0f * scale.step * 1.00001f;
}

} // namespace

TEST_CASE("ranges hold every value they were shown", "[unit]") {
    ValueRange range;
    range.include(std::vector{1.0f, -2.0f});
    range.include(std::vector{0.5f});
    CHECK(range.low == -2.0f);
    CHECK(range.high == 1.0f);
    std::vector<ValueRange> columns(2);
    model::includeRows(columns, std::vector{1.0f, -1.0f, 3.0f, -5.0f, 2.0f, -4.0f});
    CHECK(columns[0].low == 1.0f);
    CHECK(columns[0].high == 3.0f);
    CHECK(columns[1].low == -5.0f);
    CHECK(columns[1].high == -1.0f);
}

TEST_CASE("scales hold their ranges with room, and an outlying channel makes no other coarser", "[unit]") {
    std::vector<ValueRange> ranges(100);
    for (std::size_t c = 0; c < ranges.size(); ++c) ranges[c] = {-1.0f - 0.01f * static_cast<float>(c), 2.0f};
    ranges[40] = {-90.0f, 2.0f};
    ranges[60] = {1.5f, 1.6f}; // never near 0
    const auto scales = model::channelScales(ranges);
    REQUIRE(scales.size() == ranges.size());
    for (std::size_t c = 0; c < ranges.size(); ++c) {
        INFO(c);
        CHECK(holds(scales[c], 1.4f * ranges[c].low));
        CHECK(holds(scales[c], 1.4f * ranges[c].high));
        if (c != 40) CHECK(scales[c].step < 7.0f / 255.0f);
    }
    const auto common = model::commonScale({0.5f, 2.0f});
    CHECK(holds(common, 0.0f));
    CHECK(holds(common, 2.9f));
    const auto gelu = model::geluScale({-0.1f, 4.0f});
    CHECK(holds(gelu, -0.16997f)); // the least there is of it
    CHECK(holds(gelu, 5.9f));
    CHECK(gelu.step < 6.2f / 255.0f);
}

TEST_CASE("calibration is the same every time, on any number of threads", "[unit][threads]") {
    const model::Weights weights(*test::proceduralCheckpoint(test::tinyModel()));
    const auto windows = detection::calibrationWindows(weights);
    REQUIRE(windows.size() == 4);
    for (const auto& window : windows) {
        REQUIRE(window.size() == 1024 * 64);
        REQUIRE(std::ranges::all_of(window, [](float v) { return std::isfinite(v); }));
    }
    REQUIRE(detection::calibrationWindows(weights) == windows);
    tensor::setThreadCount(2);
    const int threads = tensor::threadCount(); // 1 in builds without OpenMP
    const auto two = model::measureActivations(weights, windows);
    REQUIRE(tensor::threadCount() == threads);
    tensor::setThreadCount(1);
    const auto one = model::measureActivations(weights, windows);
    REQUIRE(one.size() == 4);
    for (std::size_t stage = 0; stage < one.size(); ++stage) {
        REQUIRE(one[stage].merging.size() == (stage < 3 ? 96u << stage : 0u));
        for (std::size_t block = 0; block < one[stage].blocks.size(); ++block) {
            const auto& a = one[stage].blocks[block];
            const auto& b = two[stage].blocks[block];
            CHECK(a.projection.low == b.projection.low);
            CHECK(a.contract.high == b.contract.high);
            CHECK(a.qkv.back().high == b.qkv.back().high);
            // Something was measured, and it looks like what it should be.
            CHECK(a.contract.low >= -0.17f);
            CHECK(a.contract.high > 0.1f);
            CHECK(a.expand.front().low < a.expand.front().high);
        }
    }
}

TEST_CASE("no ranges follow from a network whose values overflow", "[unit][threads]") {
    tensor::setThreadCount(1);
    for (const std::string part : {"layers.0.blocks.0.attn.qkv.weight", "layers.3.blocks.1.mlp.fc1.weight"}) {
        CAPTURE(part);
        const auto checkpoint = test::enlarged(test::proceduralCheckpoint(test::tinyModel()), part, 1e37f);
        const model::Weights weights(*checkpoint);
        CHECK_THROWS_WITH(model::measureActivations(weights, detection::calibrationWindows(weights)),
                          ContainsSubstring("no numbers"));
    }
    ValueRange range;
    CHECK_THROWS_WITH(range.include(std::vector{1.0f, 3e38f}), ContainsSubstring("no numbers"));
    std::vector<ValueRange> columns(2);
    CHECK_THROWS_WITH(model::includeRows(columns, std::vector{1.0f, NAN}), ContainsSubstring("no numbers"));
}
