#include "Core/Model/Network/ClapProjection.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ProceduralWeights.h"
#include "Support/ReferenceNetwork.h"

#include <cmath>
#include <functional>

using namespace earshot;

namespace {

std::shared_ptr<const model::Weights> load(const test::ProceduralModel& model) {
    return std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model));
}

bool isNear(double a, double b) { return std::abs(a - b) <= 1e-5 * std::abs(b); }

const auto microsoft = test::asMicrosoftClap(test::smallModel());
const auto laion = test::asLaionClap(test::smallModel());

} // namespace

TEST_CASE("projections agree with plain loops", "[unit][network]") {
    for (const auto& model : {microsoft, laion}) {
        CAPTURE(model.prefix);
        const bool isMicrosoft = model.embeddingDim == 1024;
        const auto weights = load(model);
        model::ClapProjection projection(weights);
        REQUIRE(projection.dimensions() == model.embeddingDim);
        const auto checkpoint = test::proceduralCheckpoint(model);
        for (unsigned seed = 1; seed <= 3; ++seed) {
            const auto latent =
                test::randomValues(static_cast<std::size_t>(model.config.latentDim()), seed, -3.0f, 3.0f);
            const auto expected =
                isMicrosoft ? test::referenceMicrosoftProjection(*checkpoint, "audio_encoder.projection.",
                                                                 test::widened(latent))
                            : test::referenceLaionProjection(*checkpoint, "module.audio_projection.",
                                                             test::widened(latent));
            const auto found = projection.run(latent);
            CHECK(test::maxDifference(found, expected) <= 2e-5);
            double squares = 0.0;
            for (const float value : found) squares += static_cast<double>(value) * value;
            CHECK((std::abs(squares - 1.0) <= 1e-5) == !isMicrosoft);
        }
    }
}

TEST_CASE("a network without a projection has none, and its parameters do not count it", "[unit]") {
    auto bare = microsoft;
    bare.embeddingDim = 0;
    CHECK(load(bare)->projection() == nullptr);
    CHECK(load(test::smallModel())->projection() == nullptr);
    const auto whole = load(microsoft);
    const std::int64_t latent = microsoft.config.latentDim();
    CHECK(whole->parameterCount() - load(bare)->parameterCount() == 1024 * latent + 1024 * 1024 + 2 * 1024);
    CHECK(whole->memoryBytes() > load(bare)->memoryBytes());
}

TEST_CASE("the scale is the checkpoint's, and a file without it is refused", "[unit]") {
    for (auto model : {microsoft, laion}) {
        model.logScale = 4.0f;
        CHECK(isNear(load(model)->projection()->scale, std::exp(4.0)));
        for (const float wrong : {NAN, 20.0f, -INFINITY}) {
            model.logScale = wrong;
            CHECK_THROWS_WITH(load(model), ContainsSubstring("logit_scale"));
        }
    }
}

TEST_CASE("a damaged projection is named with what was expected", "[unit]") {
    const auto expectError = [](const auto& change, const std::string& message) {
        test::AlteredCheckpoint checkpoint(test::proceduralCheckpoint(microsoft), change);
        CHECK_THROWS_WITH(model::Weights(checkpoint),
                          ContainsSubstring("model.safetensors") && ContainsSubstring(message));
    };
    const std::string prefix = "audio_encoder.projection.";
    expectError([&](auto& tensors) { tensors.erase(prefix + "linear2.weight"); },
                "linear2.weight: expected (1024, 1024), found none");
    expectError([&](auto& tensors) { tensors.at(prefix + "layer_norm.bias").shape = {1023}; },
                "layer_norm.bias: expected (1024), found (1023)");
    for (const tensor::Shape& shape : {tensor::Shape{1024}, {1024, 15}, {0, 16}, {1 << 20, 16}, {-1, 16}, {}})
        expectError([&](auto& tensors) { tensors.at(prefix + "linear1.weight").shape = shape; }, "linear1");
    expectError([&](auto& tensors) { tensors.erase("logit_scale"); },
                "logit_scale: expected one value, found none");
    expectError([&](auto& tensors) { tensors.erase(prefix + "linear1.weight"); },
                "linear1.weight: expected (1 to");
    expectError([&](auto& tensors) { tensors["logit_scale"] = {model::DType::float32, {2}}; }, "one value");
}

TEST_CASE("a model in a file has the projection it was written with", "[unit]") {
    const test::TemporaryDirectory directory;
    auto model = laion;
    model.logScale = 3.0f;
    test::writeProceduralModel(directory / "model.safetensors", model);
    const auto fromFile = model::loadWeights(directory / "model.safetensors");
    CHECK(isNear(fromFile->projection()->scale, std::exp(3.0)));
    const auto latent = test::randomValues(static_cast<std::size_t>(model.config.latentDim()), 1);
    model::ClapProjection found(fromFile), expected(load(model));
    CHECK(test::maxDifference(found.run(latent), expected.run(latent)) == 0.0);
}

TEST_CASE("a projection whose values overflow is an error, not a vector", "[unit]") {
    for (const auto& model : {microsoft, laion}) {
        const auto checkpoint = test::enlarged(test::proceduralCheckpoint(model), "audio_projection.", 1e37f);
        const auto other = test::enlarged(test::proceduralCheckpoint(model), "projection.linear", 1e37f);
        auto& damaged = model.embeddingDim == 1024 ? *other : *checkpoint;
        model::ClapProjection projection(std::make_shared<const model::Weights>(damaged));
        CHECK_THROWS_WITH(
            projection.run(test::randomValues(static_cast<std::size_t>(model.config.latentDim()), 1)),
            ContainsSubstring("no numbers"));
    }
}
