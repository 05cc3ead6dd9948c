#include "Core/Model/StripStage.h"

#include "Core/Detection/Calibration.h"
#include "Core/Model/Encoder.h"
#include "Core/Model/Network.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ProceduralWeights.h"

#include <algorithm>
#include <vector>

using namespace earshot;

namespace {

std::shared_ptr<const model::Weights> weightsOf(const test::ProceduralModel& model) {
    tensor::setThreadCount(1);
    return std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model));
}

// A long recording's frames, and windows of it.
class Recording {
  public:
    explicit Recording(const model::Config& config)
        : bands_(static_cast<std::size_t>(config.melBands))
        , window_(static_cast<std::size_t>(config.windowFrames()))
        , frames_(test::randomValues(4 * window_ * bands_, 11, -80.0f, 10.0f)) {}

    std::span<const float> at(std::size_t frame) const {
        return std::span(frames_).subspan(frame * bands_, window_ * bands_);
    }

  private:
    std::size_t bands_, window_;
    std::vector<float> frames_;
};

// Each window by a network that heard those before, and by one that never heard any.
void checkStream(const std::shared_ptr<const model::Weights>& weights, const std::vector<std::size_t>& strips,
                 double allowed) {
    const auto& config = weights->config();
    const Recording recording(config);
    const auto step = static_cast<std::size_t>(config.patchStride * config.stageWindow(0));
    model::Network streaming(weights);
    streaming.followStream(true);
    std::size_t at = 0;
    for (const std::size_t moved : strips) {
        at += moved * step;
        INFO("window at frame " << at << ", moved by " << moved);
        model::Network fresh(weights);
        const auto expected = fresh.run(recording.at(at));
        const auto found = streaming.run(recording.at(at));
        REQUIRE(test::maxDifference(found.tokens, expected.tokens) <= allowed);
        REQUIRE(test::maxDifference(found.clipwise, expected.clipwise) <= allowed);
        REQUIRE(test::maxDifference(found.latent, expected.latent) <= 10.0 * allowed);
    }
}

void checkStream(const test::ProceduralModel& model, const std::vector<std::size_t>& strips) {
    checkStream(weightsOf(model), strips, 1e-6);
}

} // namespace

TEST_CASE("windows that follow one another give what each gives alone", "[unit][network]") {
    const std::vector<std::size_t> strips = {0, 1, 1, 1, 2, 1, 3, 1, 1, 4, 1, 6, 1, 1, 0, 1, 1, 7, 1, 1};
    SECTION("two blocks in the first stage") { checkStream(test::tinyModel(), strips); }
    SECTION("more, shifted and not") {
        auto model = test::tinyModel();
        model.config.depths[0] = GENERATE(1, 3, 4);
        checkStream(model, strips);
    }
}

TEST_CASE("streams are followed in every precision", "[unit][network]") {
    tensor::setThreadCount(1);
    // Where float32 rounds otherwise, a value may fall to the other side of a bfloat16 or a byte.
    const auto [precision, allowed] = GENERATE(table<model::Precision, double>(
        {{model::Precision::bfloat16, 0.005}, {model::Precision::int8, 0.02}}));
    const auto checkpoint = test::proceduralCheckpoint(test::tinyModel());
    checkStream(model::makeWeights(*checkpoint, precision, detection::calibrationWindows), {0, 1, 1, 2, 1},
                allowed);
}

TEST_CASE("networks whose first stage does not come apart hear streams as well", "[unit][network]") {
    auto model = test::smallModel();
    SECTION("as it is") {}
    SECTION("overlapping patches") {
        model.config.patchSize = 8;
        model.config.patchStride = 4;
        REQUIRE_FALSE(model::StripStage::fits(model.config));
    }
    SECTION("absolute position embedding") {
        model.config.absolutePositionEmbedding = true;
        REQUIRE_FALSE(model::StripStage::fits(model.config));
    }
    SECTION("one stage") {
        model.config.depths = {2};
        model.config.heads = {2};
        REQUIRE_FALSE(model::StripStage::fits(model.config));
    }
    checkStream(model, {0, 1, 1, 1, 2, 1});
}

TEST_CASE("what is kept does not outlive another recording, nor a pass made step by step",
          "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const Recording recording(weights->config());
    const auto step = static_cast<std::size_t>(weights->config().framesPerToken());
    model::Network streaming(weights), fresh(weights);
    streaming.followStream(true);
    const auto expected = fresh.run(recording.at(9 * step));
    const std::vector<float> alone(expected.tokens.begin(), expected.tokens.end());
    for (std::size_t i = 5; i < 8; ++i) streaming.run(recording.at(i * step));
    SECTION("another recording") { streaming.run(recording.at(2000)); }
    SECTION("step by step") {
        streaming.setInput(recording.at(1000));
        for (const auto& one : streaming.steps()) one.run();
    }
    SECTION("fewer frames") { streaming.run(recording.at(8 * step).first(64 * 500)); }
    streaming.run(recording.at(8 * step));
    REQUIRE(test::maxDifference(streaming.run(recording.at(9 * step)).tokens, alone) <= 1e-6);
}

TEST_CASE("the first stage of the published models comes apart into eight strips", "[unit][network]") {
    REQUIRE(model::StripStage::fits(model::Config()));
    REQUIRE(model::StripStage::tokens(model::Config()) == 512);
}

TEST_CASE("a network that follows no stream gives the same to the bit, whatever it heard before",
          "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const Recording recording(weights->config());
    const auto step = static_cast<std::size_t>(weights->config().framesPerToken());
    model::Network one(weights), other(weights);
    other.followStream(true);
    for (std::size_t i = 0; i < 3; ++i) other.run(recording.at(i * step));
    other.followStream(false);
    const auto alone = one.run(recording.at(3 * step));
    REQUIRE(std::ranges::equal(other.run(recording.at(3 * step)).tokens, alone.tokens));
}

TEST_CASE("what only moved is not computed again", "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const auto& config = weights->config();
    model::Encoder encoder(weights->network(), config);
    REQUIRE(encoder.strips() != nullptr);
    auto& strips = *encoder.strips();
    const auto pixels = static_cast<std::size_t>(config.imageSize * config.imageSize);
    strips.run(test::randomValues(pixels, 1), strips.strips());
    const std::vector<float> before(encoder.stream(1).begin(), encoder.stream(1).end());

    // Another image where the first one moved is promised: what is kept still speaks of the first.
    const int moved = GENERATE(1, 2, 5);
    strips.run(test::randomValues(pixels, 2), moved);
    const auto after = encoder.stream(1);
    const int grid = config.stageGrid(1), strip = grid / strips.strips();
    const auto channels = static_cast<std::size_t>(config.stageDim(1));
    for (int row = 0; row < grid; ++row)
        for (int column = 0; column < grid; ++column) {
            const auto at = [&](int c) { return static_cast<std::size_t>(row * grid + c) * channels; };
            // The second block's strips lie half a strip further right; the last of them joins both sides.
            const bool kept = column >= strip / 2 && column < grid - strip / 2 - moved * strip;
            const auto source = kept ? at(column + moved * strip) : at(column);
            const bool same = std::equal(after.begin() + static_cast<std::ptrdiff_t>(at(column)),
                                         after.begin() + static_cast<std::ptrdiff_t>(at(column) + channels),
                                         before.begin() + static_cast<std::ptrdiff_t>(source));
            INFO("row " << row << ", column " << column << ", moved by " << moved);
            REQUIRE(same == kept);
        }
}
