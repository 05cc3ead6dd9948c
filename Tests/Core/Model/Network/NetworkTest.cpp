#include "Core/Model/Network/Network.h"

#include "Core/Frontend/LogMel.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/ProceduralWeights.h"
#include "Support/ReferenceNetwork.h"

using namespace earshot;

namespace {

model::Network build(const test::ProceduralModel& model) {
    tensor::setThreadCount(1);
    return model::Network(std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model)));
}

// Bounds of probabilities and of the latent vector.
void checkAgainstPlainLoops(const test::ProceduralModel& model, double allowed = 5e-6, double latent = 2e-5) {
    auto network = build(model);
    REQUIRE(network.config() == model.config);
    const auto frames = static_cast<std::size_t>(model.config.windowFrames() * model.config.melBands);
    const auto logMel = test::randomValues(frames, 9, -80.0f, 10.0f);
    const auto checkpoint = test::proceduralCheckpoint(model);
    const auto expected = test::ReferenceNetwork(*checkpoint, model.config).run(logMel);
    const auto found = network.run(logMel);
    CHECK(test::maxDifference(found.tokens, expected.tokens) <= allowed);
    CHECK(test::maxDifference(found.clipwise, expected.clipwise) <= allowed);
    CHECK(test::maxDifference(found.latent, expected.latent) <= latent);
}

} // namespace

TEST_CASE("networks of every configuration agree with plain loops", "[unit][network]") {
    auto model = test::smallModel();
    SECTION("TSCAM") {}
    SECTION("pooled head") { model.config = test::withHead(model.config, model::HeadKind::pooled); }
    SECTION("fine head") {
        model.config.depths = {1, 2, 1};
        model.config.heads = {2, 4, 4};
        model.config = test::withHead(model.config, model::HeadKind::fine);
        SECTION("with layers over time") {}
        SECTION("without") { model.config.headLayers = 0; }
        SECTION("on overlapping patches") { model.config.patchSize = 8; }
    }
    SECTION("fine head on two stages") { model.config = test::withHead(model.config, model::HeadKind::fine); }
    SECTION("no query, key and value bias") { model.config.qkvBias = false; }
    SECTION("no patch norm") { model.config.patchNorm = false; }
    SECTION("absolute position embedding") { model.config.absolutePositionEmbedding = true; }
    SECTION("overlapping patches") {
        model.config.patchSize = 8;
        model.config.patchStride = 4;
    }
    SECTION("narrow MLP") { model.config.mlpRatio = 2; }
    SECTION("a window larger than the last grid") { model.config.attentionSide = 16; }
    SECTION("one stage") {
        model.config.depths = {2};
        model.config.heads = {2};
    }
    SECTION("a head of odd width") {
        model.config.embedDim = 10;
        model.config.heads = {2, 4};
    }
    checkAgainstPlainLoops(model);
}

TEST_CASE("networks of V2 blocks agree with plain loops", "[unit][network][no-tsan]") {
    auto model = test::withV2Blocks(test::smallModel());
    model.config.embedDim = 48; // heads of 24 channels, as in the published size
    SECTION("TSCAM") {}
    SECTION("pooled head") { model.config = test::withHead(model.config, model::HeadKind::pooled); }
    SECTION("fine head") {
        model.config.depths = {1, 2, 1};
        model.config.heads = {2, 4, 4};
        model.config = test::withHead(model.config, model::HeadKind::fine);
    }
    SECTION("no query and value bias") { model.config.qkvBias = false; }
    SECTION("absolute position embedding") { model.config.absolutePositionEmbedding = true; }
    SECTION("narrow MLP") { model.config.mlpRatio = 1; }
    SECTION("a window larger than the last grid") { model.config.attentionSide = 16; }
    SECTION("biases of smaller and larger windows") { model.config.pretrainedSides = {3, 6}; }
    SECTION("one stage") {
        model.config.depths = {2};
        model.config.heads = {2};
    }
    SECTION("a head of odd width") {
        model.config.embedDim = 30;
        model.config.heads = {2, 4};
    }
    checkAgainstPlainLoops(model, 1e-4, 1e-4);
}

TEST_CASE("every stage of the tiny model agrees with the reference implementation", "[golden][network]") {
    auto network = build(test::tinyModel());
    frontend::LogMelSettings settings;
    network.setInput(frontend::logMelSpectrogram(settings, test::loadClip("input_10s.flac")));
    test::Golden golden("tiny_10s_stages.safetensors");
    int compared = 0;
    for (const auto& step : network.steps()) {
        step.run();
        if (step.resultName.empty()) continue;
        INFO(step.resultName);
        if (step.resultName == "tscam_logits") {
            // (classes, tokens) in the golden file
            std::vector<float> transposed;
            for (std::size_t c = 0; c < 16; ++c)
                for (std::size_t t = 0; t < 32; ++t) transposed.push_back(step.result[t * 16 + c]);
            CHECK(golden.relativeDifference(step.resultName, transposed) <= 1e-4);
        } else {
            CHECK(golden.relativeDifference(step.resultName, step.result) <= 1e-4);
        }
        ++compared;
    }
    REQUIRE(compared == 15);
}

TEST_CASE("two threads give what one gives", "[unit][network][threads]") {
    auto network = build(GENERATE(test::smallModel(), test::withV2Blocks(test::smallModel())));
    const auto logMel = test::randomValues(256 * 16, 9, -80.0f, 10.0f);
    const auto once = network.run(logMel).tokens;
    const std::vector<float> one(once.begin(), once.end());
    tensor::setThreadCount(2);
    const auto two = network.run(logMel).tokens;
    tensor::setThreadCount(1);
    REQUIRE(test::maxDifference(two, one) <= 1e-6);
}

TEST_CASE("a pass leaves nothing behind for the next one", "[unit][network]") {
    auto network = build(test::smallModel());
    const auto first = test::randomValues(256 * 16, 1, -80.0f, 10.0f);
    const auto second = test::randomValues(100 * 16, 2, -80.0f, 10.0f);
    const auto run = [&](const std::vector<float>& logMel) {
        const auto out = network.run(logMel).tokens;
        return std::vector<float>(out.begin(), out.end());
    };
    const auto expected = run(first);
    run(second);
    REQUIRE(run(first) == expected);
}

TEST_CASE("a network whose values overflow is an error, not a result", "[unit][network]") {
    tensor::setThreadCount(1);
    for (const std::string part : {"layers.0.blocks.0.attn.qkv.weight", "norm.weight"}) {
        CAPTURE(part);
        const auto checkpoint = test::enlarged(test::proceduralCheckpoint(test::smallModel()), part, 1e37f);
        model::Network network(std::make_shared<const model::Weights>(*checkpoint));
        CHECK_THROWS_WITH(network.run(test::randomValues(256 * 16, 9, -80.0f, 10.0f)),
                          ContainsSubstring("no numbers"));
    }
}
