#include "Core/Detection/Events/Sebbs.h"

#include "Core/Base/Error.h"
#include "Support/Catch.h"

#include <cmath>
#include <limits>

using namespace earshot;
using namespace earshot::detection;

namespace {

// Two hidden units: one of the first feature, one of the last.
SebbNetwork smallNetwork() {
    SebbNetwork network;
    network.scale.fill(2.0f);
    network.mean.fill(1.0f);
    network.hiddenWeights.resize(2);
    network.hiddenWeights[0].front() = 0.5f;
    network.hiddenWeights[1].back() = -1.0f;
    network.hiddenBiases = {0.25f, 0.0f};
    network.outputWeights = {2.0f, -3.0f};
    network.outputBias = 0.125f;
    network.classBiases = {0.0f, -1.0f};
    return network;
}

std::map<std::string, std::string> metadataOf(const std::string& text) { return {{"earshot.boxes", text}}; }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), by);
}

} // namespace

TEST_CASE("a box's confidence is that of a layer of tanh", "[unit]") {
    const SebbScorer scorer(smallNetwork(), 0.25f);
    SebbFeatures features{};
    features.front() = 4.0f;
    features.back() = 0.0f;
    const double hidden[] = {std::tanh(0.5 * 1.5 + 0.25), std::tanh(0.5)};
    const double logit = 0.125 + 2.0 * hidden[0] - 3.0 * hidden[1];
    CHECK(scorer.confidence(features, 0) == Approx(1.0 / (1.0 + std::exp(-logit))));
    CHECK(scorer.confidence(features, 1) == Approx(1.0 / (1.0 + std::exp(1.0 - logit))));
}

TEST_CASE("a scorer is read as it was written", "[unit]") {
    const SebbScorer scorer(smallNetwork(), 0.25f);
    const auto read = SebbScorer::read(metadataOf(scorer.metadata()), "some.safetensors", 2);
    REQUIRE(read != nullptr);
    CHECK(read->minConfidence() == 0.25f);
    SebbFeatures features{};
    for (std::size_t i = 0; i < boxFeatureCount; ++i) features[i] = static_cast<float>(i) / 3.0f;
    for (const int label : {0, 1})
        CHECK(read->confidence(features, label) == scorer.confidence(features, label));
    CHECK(SebbScorer::read({{"earshot.labels", "[]"}}, "some.safetensors", 2) == nullptr);
}

TEST_CASE("a scorer that makes no sense is a clear error", "[unit]") {
    const std::string good = SebbScorer(smallNetwork(), 0.25f).metadata();
    const auto fails = [](const std::string& text, const std::string& why) {
        CAPTURE(text);
        try {
            SebbScorer::read(metadataOf(text), "some.safetensors", 2);
            FAIL("was read");
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find("some.safetensors: earshot.boxes: ") == 0);
            CHECK(std::string(error.what()).find(why) != std::string::npos);
        }
    };
    fails("", "is not what Earshot writes");
    fails("[1, 2]", "is not what Earshot writes");
    fails(R"({"mean": "much"})", "is not what Earshot writes");
    fails(replaced(good, R"("output_bias")", R"("input_bias")"), "is not what Earshot writes");
    fails(replaced(good, "[0.25,0.0]", "[0.25]"), "do not fit together");
    fails(replaced(good, "[0.25,0.0]", "[0.25,1e300]"), "no numbers");
    fails(replaced(good, R"("scale":[2.0)", R"("scale":[0.0)"), "no numbers");
    fails(replaced(good, R"("least_confidence":0.25)", R"("least_confidence":1.5)"), "1.5");
    fails(replaced(good, R"("class_biases":[0.0,-1.0])", R"("class_biases":[0.0])"), "expected 2 classes");

    SebbNetwork broken = smallNetwork();
    broken.hiddenWeights[1][3] = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(SebbScorer(broken, 0.25f), Error);
    CHECK_THROWS_AS(SebbScorer(SebbNetwork{}, 0.25f), Error);
}
