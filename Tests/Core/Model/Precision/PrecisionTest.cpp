#include "Core/Model/Precision/Precision.h"

#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Network/ReferenceModes.h"
#include "Core/Tensor/InstructionSets.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"
#include "Support/ReferenceNetwork.h"

#include <algorithm>
#include <numeric>

using namespace earshot;
using model::HeadKind;
using model::Precision;
using model::ReferenceMode;

namespace {

// What a precision may move a probability by.
double toleranceOf(Precision precision) { return precision == Precision::int8 ? 0.05 : 0.02; }

model::Network build(const test::ProceduralModel& model, Precision precision) {
    tensor::setThreadCount(1);
    return model::Network(
        model::makeWeights(*test::proceduralCheckpoint(model), precision, detection::calibrationWindows));
}

model::ForwardOutput forwardClip(model::Network& network, const std::string& clip, ReferenceMode mode) {
    const auto settings = detection::logMelSettings(network.weights());
    return model::forward(network, frontend::logMelSpectrogram(settings, test::loadClip(clip + ".flac")),
                          mode);
}

struct Pair {
    model::ForwardOutput exact, found;

    void check(double tolerance) const {
        CHECK(test::maxDifference(found.framewise, exact.framewise) <= tolerance);
        CHECK(test::maxDifference(found.clipwise, exact.clipwise) <= tolerance);
    }
};

Pair forwardBoth(model::Network& exact, model::Network& found, const std::string& clip, ReferenceMode mode) {
    return {forwardClip(exact, clip, mode), forwardClip(found, clip, mode)};
}

std::vector<std::size_t> strongest(const std::vector<float>& probabilities, std::size_t count) {
    std::vector<std::size_t> order(probabilities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return probabilities[i]; });
    order.resize(count);
    return order;
}

} // namespace

TEST_CASE("precisions are known by their names", "[unit]") {
    for (const auto precision : model::allPrecisions) {
        REQUIRE(model::precisionNamed(model::optionName(precision)) == precision);
        REQUIRE_FALSE(model::plainName(precision).empty());
    }
    REQUIRE(model::optionName(Precision::bfloat16) == "bf16");
    REQUIRE_FALSE(model::precisionNamed("f16"));
    REQUIRE_FALSE(model::precisionNamed(""));
}

TEST_CASE("a precision that would be slow here becomes float32, and that is said", "[unit]") {
    const auto automatic = model::choosePrecision(Precision::automatic);
    REQUIRE(automatic.precision != Precision::automatic);
    REQUIRE_FALSE(automatic.refused);
    REQUIRE_FALSE(automatic.reason.empty());
    const auto check = [](Precision wanted, bool fast) {
        const auto choice = model::choosePrecision(wanted);
        REQUIRE(choice.refused == !fast);
        REQUIRE(choice.precision == (fast ? wanted : Precision::float32));
        REQUIRE_FALSE(choice.reason.empty());
    };
    check(Precision::float32, true);
    check(Precision::bfloat16, tensor::hasFastBFloat16());
    check(Precision::int8, tensor::hasFastBytes());
    if (tensor::hasFastBFloat16()) REQUIRE(automatic.precision == Precision::bfloat16);
}

TEST_CASE("weights of two precisions are two, of the same one they are shared", "[unit]") {
    const auto file = test::defaultModelFile();
    const auto exact = model::loadWeights(file);
    REQUIRE(exact->precision() == Precision::float32);
    const auto automatic = detection::loadWeights(file, Precision::automatic);
    const auto chosen = model::choosePrecision(Precision::automatic).precision;
    REQUIRE(automatic->precision() == chosen);
    REQUIRE(detection::loadWeights(file, chosen) == automatic);
    REQUIRE((automatic == exact) == (chosen == Precision::float32));
    REQUIRE(model::loadWeights(file) == exact);
    REQUIRE(model::loadWeights(file, Precision::int8) == exact); // nothing to calibrate on
    if (chosen == Precision::bfloat16) REQUIRE(automatic->memoryBytes() < exact->memoryBytes() * 7 / 10);
    const auto bytes = detection::loadWeights(file, Precision::int8);
    if (bytes->precision() == Precision::int8) REQUIRE(bytes->memoryBytes() < exact->memoryBytes() * 5 / 10);
}

TEST_CASE("the tiny model in every precision is close to float32 in every clip mode", "[golden][network]") {
    auto model = test::tinyModel();
    model.config = test::withHead(model.config, GENERATE(HeadKind::tscam, HeadKind::pooled, HeadKind::fine));
    const auto precision = GENERATE(Precision::bfloat16, Precision::int8);
    auto exact = build(model, Precision::float32), found = build(model, precision);
    const auto check = [&](const std::string& clip, ReferenceMode mode) {
        INFO(model::plainName(precision) << ", " << clip << ", mode " << static_cast<int>(mode));
        forwardBoth(exact, found, clip, mode).check(toleranceOf(precision));
    };
    check("input_10s", ReferenceMode::fit);
    check("input_15s", ReferenceMode::crop);
    check("input_2s", ReferenceMode::infer);
    check("input_5s", ReferenceMode::repeat);
}

TEST_CASE("networks of every configuration are close to float32 in every precision",
          "[unit][network][threads]") {
    const auto precision = GENERATE(Precision::bfloat16, Precision::int8);
    CAPTURE(model::plainName(precision));
    auto model = test::smallModel();
    auto& c = model.config;
    SECTION("TSCAM") {}
    SECTION("pooled head") { c = test::withHead(c, HeadKind::pooled); }
    SECTION("fine head") {
        c.depths = {2, 1, 1};
        c.heads = {2, 4, 4};
        c = test::withHead(c, HeadKind::fine);
    }
    SECTION("no query, key and value bias") { c.qkvBias = false; }
    SECTION("narrow MLP") { c.mlpRatio = 1; }
    SECTION("a window larger than the last grid") { c.attentionSide = 16; }
    SECTION("a window of four tokens") { c.attentionSide = 2; }
    SECTION("a head of odd width") {
        c.embedDim = 10;
        c.heads = {2, 4};
    }
    auto exact = build(model, Precision::float32), found = build(model, precision);
    const auto logMel =
        test::randomValues(static_cast<std::size_t>(c.windowFrames() * c.melBands), 9, -80.0f, 10.0f);
    const auto expected = exact.run(logMel);
    const auto rounded = found.run(logMel);
    CHECK(test::maxDifference(rounded.tokens, expected.tokens) <= toleranceOf(precision));
    CHECK(test::maxDifference(rounded.clipwise, expected.clipwise) <= toleranceOf(precision));
    if (!model::choosePrecision(precision).refused)
        CHECK(test::maxDifference(rounded.tokens, expected.tokens) > 0.0); // it is not float32 after all
    const std::vector<float> once(rounded.tokens.begin(), rounded.tokens.end());
    tensor::setThreadCount(2);
    // Bit for bit; but below AVX-512 oneDNN splits sums among threads.
    const bool sumsAreSplit = tensor::bestInstructionSet() < tensor::InstructionSet::avx512;
    CHECK(test::maxDifference(found.run(logMel).tokens, once) <= (sumsAreSplit ? 1e-6 : 0.0));
    tensor::setThreadCount(1);
}

TEST_CASE("networks of V2 blocks are close to plain loops in bfloat16, and int8 becomes another precision",
          "[unit][network][threads]") {
    auto model = test::withV2Blocks(test::smallModel());
    model.config.embedDim =
        48; // heads of 24 channels: cosines of fewer are less exact, and count up to 100 times
    const auto checkpoint = test::proceduralCheckpoint(model);
    const auto blocks = model::BlockKind::v2;
    for (const auto wanted : {Precision::automatic, Precision::int8})
        REQUIRE(model::choosePrecision(wanted, blocks).precision != Precision::int8);
    if (model::choosePrecision(Precision::int8).precision == Precision::int8)
        REQUIRE(model::choosePrecision(Precision::int8, blocks).reason ==
                "Swin V2 blocks are too inexact in int8");
    tensor::setThreadCount(1);
    const auto bytes = model::makeWeights(*checkpoint, Precision::int8, detection::calibrationWindows);
    REQUIRE(bytes->precision() == model::choosePrecision(Precision::int8, blocks).precision);

    model::Network found(model::makeWeights(*checkpoint, Precision::bfloat16, {}));
    const auto& c = found.config();
    const auto logMel =
        test::randomValues(static_cast<std::size_t>(c.windowFrames() * c.melBands), 9, -80.0f, 10.0f);
    const auto expected = test::ReferenceNetwork(*checkpoint, c).run(logMel);
    const auto rounded = found.run(logMel);
    CHECK(test::maxDifference(rounded.tokens, expected.tokens) <= 0.05);
    CHECK(test::maxDifference(rounded.clipwise, expected.clipwise) <= 0.05);
    const std::vector<float> once(rounded.tokens.begin(), rounded.tokens.end());
    tensor::setThreadCount(2);
    const bool sumsAreSplit = tensor::bestInstructionSet() < tensor::InstructionSet::avx512;
    CHECK(test::maxDifference(found.run(logMel).tokens, once) <= (sumsAreSplit ? 1e-4 : 0.0));
    tensor::setThreadCount(1);
}

TEST_CASE("the default model in every precision is close to float32", "[golden][network]") {
    const auto file = test::defaultModelFile();
    const auto precision = GENERATE(Precision::bfloat16, Precision::int8);
    CAPTURE(model::plainName(precision));
    tensor::setThreadCount(1);
    model::Network exact(model::loadWeights(file)), found(detection::loadWeights(file, precision));
    const auto both = forwardBoth(exact, found, "input_10s", ReferenceMode::fit);
    both.check(toleranceOf(precision));
    const auto expected = strongest(both.exact.clipwise, 3);
    CHECK(std::ranges::is_permutation(strongest(both.found.clipwise, 3), expected));
    // The first two are 0.0006 apart: in int8 they change places on some systems.
    const float apart = precision == Precision::int8 ? 0.001f : 0.0f;
    const auto& exactly = both.exact.clipwise;
    for (std::size_t i = 1; i < expected.size(); ++i)
        if (exactly[expected[i - 1]] - exactly[expected[i]] > apart)
            CHECK(both.found.clipwise[expected[i - 1]] > both.found.clipwise[expected[i]]);
}

TEST_CASE("the published size in every precision is close to float32, and in bfloat16 it ranks sounds alike",
          "[golden][network][slow][no-emulator]") {
    auto exact = build(test::fullModel(), Precision::float32);
    for (const auto precision : {Precision::bfloat16, Precision::int8}) {
        CAPTURE(model::plainName(precision));
        auto found = build(test::fullModel(), precision);
        const auto both = forwardBoth(exact, found, "input_10s", ReferenceMode::fit);
        both.check(toleranceOf(precision));
        if (precision == Precision::bfloat16)
            CHECK(strongest(both.found.clipwise, 10) == strongest(both.exact.clipwise, 10));
        forwardBoth(exact, found, "input_2s", ReferenceMode::infer).check(toleranceOf(precision));
    }
}

TEST_CASE("the published size of V2 blocks is close to float32 in bfloat16", "[golden][network][slow]") {
    const auto model = test::withV2Blocks(test::fullModel());
    auto exact = build(model, Precision::float32), found = build(model, Precision::bfloat16);
    forwardBoth(exact, found, "input_10s", ReferenceMode::fit).check(0.05);
    forwardBoth(exact, found, "input_2s", ReferenceMode::infer).check(0.05);
}
