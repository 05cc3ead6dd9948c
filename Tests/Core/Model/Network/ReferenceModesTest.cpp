#include "Core/Model/Network/ReferenceModes.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

using namespace earshot;
using model::ReferenceMode;

namespace {

constexpr double probabilityTolerance = 2e-5;

model::Network build(std::shared_ptr<const model::Weights> weights) {
    tensor::setThreadCount(1);
    return model::Network(std::move(weights));
}

model::Network build(const test::ProceduralModel& model) {
    return build(std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model)));
}

model::ForwardOutput forwardClip(model::Network& network, const std::string& clip, ReferenceMode mode) {
    const auto settings = detection::logMelSettings(network.weights());
    return model::forward(network, frontend::logMelSpectrogram(settings, test::loadClip(clip + ".flac")),
                          mode);
}

// Golden files keep one frame for each step of the head; the output must repeat it over the step's frames.
void checkFramewise(const model::ForwardOutput& found, std::span<const float> golden, std::size_t classes,
                    std::size_t steps = 32) {
    REQUIRE(found.framewise.size() == 1024 * classes);
    REQUIRE(golden.size() == steps * classes);
    std::vector<float> expected;
    for (std::size_t frame = 0; frame < 1024; ++frame) {
        const auto row = golden.subspan(frame * steps / 1024 * classes, classes);
        expected.insert(expected.end(), row.begin(), row.end());
    }
    CHECK(test::maxDifference(found.framewise, expected) <= probabilityTolerance);
}

void checkCase(model::Network& network, const std::string& name, const std::string& clip,
               ReferenceMode mode) {
    INFO(name);
    const auto golden = model::Checkpoint::open(test::goldenDirectory() / "outputs.safetensors");
    const auto found = forwardClip(network, clip, mode);
    checkFramewise(found, golden->read(name + ".tokens").values(), found.clipwise.size());
    CHECK(test::maxDifference(found.clipwise, golden->read(name + ".clipwise_output").values()) <=
          probabilityTolerance);
    if (golden->contains(name + ".latent_output"))
        CHECK(test::maxDifference(found.latent, golden->read(name + ".latent_output").values()) <= 1e-4);
}

} // namespace

TEST_CASE("the tiny model agrees with the reference in every clip mode", "[golden][network]") {
    auto network = build(test::tinyModel());
    checkCase(network, "fit_10s", "input_10s", ReferenceMode::fit);
    checkCase(network, "fit_5s", "input_5s", ReferenceMode::fit);
    checkCase(network, "fit_10.24s", "input_10.24s", ReferenceMode::fit);
    checkCase(network, "crop_15s", "input_15s", ReferenceMode::crop);
    checkCase(network, "infer_2s", "input_2s", ReferenceMode::infer);
    checkCase(network, "infer_0.7s", "input_0.7s", ReferenceMode::infer);
    checkCase(network, "repeat_10s", "input_10s", ReferenceMode::repeat);
    checkCase(network, "repeat_5s", "input_5s", ReferenceMode::repeat);
}

TEST_CASE("a clip that fits is cropped to itself", "[unit][network]") {
    auto network = build(test::tinyModel());
    checkCase(network, "fit_5s", "input_5s", ReferenceMode::crop);
}

TEST_CASE("the tiny model without TSCAM agrees with the reference", "[golden][network]") {
    auto model = test::tinyModel();
    model.config.head = model::HeadKind::pooled;
    auto network = build(model);
    checkCase(network, "no_tscam_10s", "input_10s", ReferenceMode::fit);
}

TEST_CASE("the published size agrees with the reference", "[golden][network][slow]") {
    auto network = build(test::fullModel());
    REQUIRE(network.weights().parameterCount() == 29'963'431);
    checkCase(network, "full_10s", "input_10s", ReferenceMode::fit);
}

TEST_CASE("the default model gives what it gives in PyTorch", "[golden][network]") {
    auto network = build(model::loadWeights(test::defaultModelFile()));
    const auto golden = model::Checkpoint::open(test::goldenDirectory() / "default_model_check.safetensors");
    const auto found = forwardClip(network, "input_10s", ReferenceMode::fit);
    checkFramewise(found, golden->read("framewise_output").values(), found.clipwise.size(), 128);
    CHECK(test::maxDifference(found.clipwise, golden->read("clipwise_output").values()) <=
          probabilityTolerance);
    CHECK(test::maxDifference(found.latent, golden->read("latent_output").values()) <= 1e-4);
}

namespace {

void checkClap(const test::ProceduralModel& model, const std::string& name, const std::string& clip) {
    INFO(name);
    auto network = build(model);
    const auto found = forwardClip(network, clip, ReferenceMode::fit);
    const auto golden = model::Checkpoint::open(test::goldenDirectory() / "clap_outputs.safetensors");
    CHECK(test::maxDifference(found.clipwise, golden->read(name + ".clipwise_output").values()) <=
          probabilityTolerance);
    CHECK(test::maxDifference(found.latent, golden->read(name + ".latent_output").values()) <= 1e-4);
    CHECK(test::maxDifference(found.embedding, golden->read(name + ".embedding").values()) <= 1e-4);
}

} // namespace

TEST_CASE("the audio halves of CLAP models agree with the reference", "[golden][network][slow]") {
    checkClap(test::asMicrosoftClap(test::fullModel()), "msclap_7s", "input_7s_44100");
    checkClap(test::asLaionClap(test::fullModel()), "laion_10s", "input_10s_48000");
}

TEST_CASE("clips too long for a mode are refused with the way out", "[unit]") {
    auto network = build(test::tinyModel());
    const std::vector<float> justOver(1025 * 64, -30.0f), farOver(2051 * 64, -30.0f);
    for (const auto mode : {ReferenceMode::fit, ReferenceMode::infer, ReferenceMode::repeat})
        REQUIRE_THROWS_WITH(model::forward(network, justOver, mode), ContainsSubstring("earshot analyze"));
    REQUIRE_THROWS_WITH(model::forward(network, farOver, ReferenceMode::crop),
                        ContainsSubstring("earshot analyze"));
    REQUIRE_THROWS_AS(model::forward(network, {}, ReferenceMode::fit), Error);
    REQUIRE_THROWS_WITH(model::referenceMode("best"), ContainsSubstring("fit, infer, repeat or crop"));
    const std::vector<float> longest(2050 * 64, -30.0f);
    REQUIRE(model::forward(network, longest, ReferenceMode::crop).clipwise.size() == 16);
}
