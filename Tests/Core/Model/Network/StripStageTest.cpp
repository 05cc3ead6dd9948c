#include "Core/Model/Network/StripStage.h"

#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Model/Network/Encoder.h"
#include "Core/Model/Network/Network.h"
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
        , frames_(test::randomValues(6000 * bands_, 11, -80.0f, 10.0f)) {}

    std::span<const float> at(std::size_t frame) const {
        REQUIRE((frame + window_) * bands_ <= frames_.size());
        return std::span(frames_).subspan(frame * bands_, window_ * bands_);
    }

  private:
    std::size_t bands_, window_;
    std::vector<float> frames_;
};

struct Overlap {
    const char* what;
    int hop, stretch;       // as expectHop() is told
    std::vector<int> moves; // frames from one window to the next
};

// Of windows of 1024 frames, folded into four rows of 256 of them, each eight strips high and wide.
const std::vector<Overlap> overlaps = {
    {"columns", 32, 1024, {0, 32, 32, 32, 64, 32, 96, 32, -32, 128, 32, 192, 32, 0, 32, 32, 224, 32, 32}},
    {"columns, of which every fourth window finds some", 8, 1024, {0,  8, 8, 8, 8, 8,  8, 8, 16, 8,
                                                                   32, 8, 8, 0, 8, 24, 8, 8, -8, 8}},
    {"columns, of which every second window finds some", 48, 1024, {0, 48, 48, 48, 48, 16, 48, 96, 48}},
    {"rows, of which every second window finds some",
     128,
     1024,
     {0, 128, 128, 128, 256, 128, 128, -128, 128}},
    {"rows", 256, 1024, {0, 256, 256, 512, 256, -256, 0, 768, 256, 32, 256, 1024, 256}},
    {"a tiled stretch, by columns", 32, 256, {0, 32, 32, 64, 32, 0, 256, 32}},
    {"a tiled stretch, by rows", 160, 256, {0, 160, 160, 0, 256, 32}},
};

// A window of the recording, or a quarter of one four times.
std::vector<float> windowOf(const Recording& recording, int frame, const Overlap& overlap) {
    const auto whole = recording.at(static_cast<std::size_t>(frame));
    std::vector<float> window(whole.begin(), whole.end());
    const auto stretch = static_cast<std::ptrdiff_t>(window.size()) * overlap.stretch / 1024;
    for (auto to = window.begin() + stretch; to != window.end(); to += stretch)
        std::copy(window.begin(), window.begin() + stretch, to);
    return window;
}

struct Found {
    std::vector<float> tokens, clipwise, latent;
    bool operator==(const Found&) const = default;
};

Found resultOf(model::Network& network, std::span<const float> window) {
    const auto output = network.run(window);
    return {{output.tokens.begin(), output.tokens.end()},
            {output.clipwise.begin(), output.clipwise.end()},
            {output.latent.begin(), output.latent.end()}};
}

// Each window by a network that heard those before, by one that never heard any, and whole.
void checkOverlap(const std::shared_ptr<const model::Weights>& weights, const Overlap& overlap,
                  double allowed) {
    const Recording recording(weights->config());
    model::Network hearing(weights), whole(weights);
    hearing.expectHop(overlap.hop, overlap.stretch);
    int at = 500;
    for (const int move : overlap.moves) {
        at += move;
        INFO(overlap.what << ", window at frame " << at << ", moved by " << move);
        const auto window = windowOf(recording, at, overlap);
        model::Network fresh(weights);
        fresh.expectHop(overlap.hop, overlap.stretch);
        const auto found = resultOf(hearing, window);
        REQUIRE(found == resultOf(fresh, window));
        const auto expected = resultOf(whole, window);
        REQUIRE(test::maxDifference(found.tokens, expected.tokens) <= allowed);
        REQUIRE(test::maxDifference(found.clipwise, expected.clipwise) <= allowed);
        REQUIRE(test::maxDifference(found.latent, expected.latent) <= 10.0 * allowed);
    }
}

std::vector<float> randomImage(const model::Config& config, unsigned seed) {
    return test::randomValues(static_cast<std::size_t>(config.imageSize * config.imageSize), seed);
}

} // namespace

TEST_CASE("windows that overlap give what each gives alone, to the bit", "[unit][network][no-emulator]") {
    auto model = test::tinyModel();
    SECTION("two blocks in the first stage") {}
    SECTION("a fine head") { model.config = test::withHead(model.config, model::HeadKind::fine); }
    SECTION("one, or another behind the shifted one") { model.config.depths[0] = GENERATE(1, 3); }
    const auto weights = weightsOf(model);
    for (const auto& overlap : overlaps) checkOverlap(weights, overlap, 1e-6);
}

TEST_CASE("overlapping windows are heard by networks of V2 blocks", "[unit][network][no-emulator]") {
    tensor::setThreadCount(1);
    auto model = test::withV2Blocks(test::tinyModel());
    // Cosines times up to 100 make more of how products of fewer rows round.
    const auto [precision, allowed] = GENERATE(table<model::Precision, double>(
        {{model::Precision::float32, 1e-4}, {model::Precision::bfloat16, 0.05}}));
    model.config.depths[0] = precision == model::Precision::float32 ? GENERATE(2, 3) : 2;
    const auto weights = model::makeWeights(*test::proceduralCheckpoint(model), precision, {});
    for (const auto& overlap : overlaps) checkOverlap(weights, overlap, allowed);
}

TEST_CASE("overlapping windows are heard in every precision", "[unit][network][no-emulator]") {
    tensor::setThreadCount(1);
    // Where float32 rounds otherwise, a value may fall to the other side of a bfloat16 or a byte.
    const auto [precision, allowed] = GENERATE(table<model::Precision, double>(
        {{model::Precision::bfloat16, 0.005}, {model::Precision::int8, 0.02}}));
    const auto checkpoint = test::proceduralCheckpoint(test::tinyModel());
    const auto weights = model::makeWeights(*checkpoint, precision, detection::calibrationWindows);
    for (const auto& overlap : overlaps) checkOverlap(weights, overlap, allowed);
}

TEST_CASE("networks whose first stage does not come apart hear overlapping windows as well",
          "[unit][network]") {
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
    checkOverlap(weightsOf(model), overlaps.front(), 1e-6);
}

TEST_CASE("what is kept does not outlive a pass made step by step, nor another hop", "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const Recording recording(weights->config());
    const int hop = GENERATE(32, 256);
    model::Network hearing(weights), fresh(weights);
    for (auto* network : {&hearing, &fresh}) network->expectHop(hop, 1024);
    const auto window = [&](int i) { return recording.at(static_cast<std::size_t>(i * hop)); };
    const auto alone = resultOf(fresh, window(4));
    for (int i = 1; i < 4; ++i) hearing.run(window(i));
    SECTION("step by step") {
        hearing.setInput(recording.at(1000));
        for (const auto& one : hearing.steps()) one.run();
    }
    SECTION("fewer frames") { hearing.run(window(3).first(64 * 500)); }
    SECTION("another hop, and this one again") {
        hearing.expectHop(hop == 32 ? 256 : 32, 1024);
        hearing.run(window(3));
        hearing.expectHop(hop, 1024);
    }
    REQUIRE(resultOf(hearing, window(4)) == alone);
}

TEST_CASE("without overlap results are those of whole passes, whatever was heard before", "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const Recording recording(weights->config());
    model::Network one(weights), other(weights);
    other.expectHop(32, 1024);
    for (std::size_t i = 0; i < 3; ++i) other.run(recording.at(i * 32));
    other.expectHop(0, 1024);
    REQUIRE(resultOf(other, recording.at(96)) == resultOf(one, recording.at(96)));
}

TEST_CASE("what comes back is not computed again", "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const auto& config = weights->config();
    const auto direction = GENERATE(model::StripDirection::columns, model::StripDirection::rows);
    model::Encoder encoder(weights->network(), config);
    encoder.takeApart(model::StripPlan{direction, 1});
    auto& strips = *encoder.strips();
    const auto side = static_cast<std::size_t>(config.imageSize), strip = side / 8;
    const auto image = randomImage(config, 1), other = randomImage(config, 2);
    // The image moved by so many strips towards its beginning; pixels that were never there come in.
    const auto moved = [&](std::size_t count) {
        auto result = randomImage(config, 10 + static_cast<unsigned>(count));
        for (std::size_t row = 0; row < side; ++row)
            for (std::size_t column = 0; column < side; ++column) {
                const bool byRows = direction == model::StripDirection::rows;
                const auto fromRow = row + (byRows ? count * strip : 0);
                const auto fromColumn = column + (byRows ? 0 : count * strip);
                if (fromRow < side && fromColumn < side)
                    result[row * side + column] = image[fromRow * side + fromColumn];
            }
        return result;
    };
    const auto computed = [&](const std::vector<float>& pixels) {
        strips.run(pixels);
        return strips.computed();
    };
    REQUIRE(computed(image) == 16); // eight in each of two blocks
    REQUIRE(computed(image) == 0);
    REQUIRE(computed(moved(1)) == 1 + 2);
    REQUIRE(computed(image) == 1 + 2); // and back
    REQUIRE(computed(moved(2)) == 2 + 3);
    REQUIRE(computed(moved(7)) == 7 + 8);
    REQUIRE(computed(std::vector<float>(image.size(), 0.5f)) == 1 + 2); // one strip eight times, and an edge
    REQUIRE(computed(other) == 16);
    strips.forget();
    REQUIRE(computed(other) == 16);
}

TEST_CASE("as many images are kept as there are phases, the oldest goes first", "[unit][network]") {
    const auto weights = weightsOf(test::tinyModel());
    const auto& config = weights->config();
    const auto direction = GENERATE(model::StripDirection::columns, model::StripDirection::rows);
    const unsigned phases = GENERATE(1u, 2u, 4u);
    model::Encoder encoder(weights->network(), config);
    encoder.takeApart(model::StripPlan{direction, static_cast<int>(phases)});
    const auto computed = [&](unsigned seed) {
        encoder.strips()->run(randomImage(config, seed));
        return encoder.strips()->computed();
    };
    for (unsigned seed = 0; seed < phases; ++seed) REQUIRE(computed(seed) == 16);
    for (unsigned seed = 0; seed < phases; ++seed) REQUIRE(computed(seed) == 0);
    REQUIRE(computed(phases) == 16); // in the place of 0
    for (unsigned seed = 1; seed <= phases; ++seed) REQUIRE(computed(seed) == 0);
    REQUIRE(computed(0) == 16);
    encoder.strips()->forget();
    for (unsigned seed = 0; seed < phases; ++seed) REQUIRE(computed(seed) == 16);
}

TEST_CASE("strips lie so that most of them come back", "[unit]") {
    const model::Config published;
    const auto plan = [&](int hop, int stretch) {
        return model::StripStage::planFor(published, hop, stretch);
    };
    const auto columns = [](int phases) {
        return std::optional(model::StripPlan{model::StripDirection::columns, phases});
    };
    const auto rows = [](int phases) {
        return std::optional(model::StripPlan{model::StripDirection::rows, phases});
    };
    REQUIRE(plan(32, 1024) == columns(1));
    REQUIRE(plan(160, 1024) == columns(1));
    REQUIRE(plan(192, 1024) == columns(1));
    REQUIRE(plan(224, 1024) == std::nullopt); // the shifted block behind would find nothing
    REQUIRE(plan(256, 1024) == rows(1));
    REQUIRE(plan(512, 1024) == rows(1));
    REQUIRE(plan(768, 1024) == rows(1));
    REQUIRE(plan(1024, 1024) == std::nullopt);
    REQUIRE(plan(288, 1024) == std::nullopt);
    REQUIRE(plan(64, 256) == columns(1));
    REQUIRE(plan(96, 256) == rows(1));
    REQUIRE(plan(256, 256) == rows(1));
    // A hop of a part of a strip, as models with a finer clock have it.
    REQUIRE(plan(8, 1024) == columns(4));
    REQUIRE(plan(16, 1024) == columns(2));
    REQUIRE(plan(24, 1024) == columns(4));
    REQUIRE(plan(40, 1024) == columns(4));
    REQUIRE(plan(56, 1024) == std::nullopt);
    REQUIRE(plan(128, 1024) == rows(2));
    REQUIRE(plan(320, 1024) == std::nullopt);
    REQUIRE(plan(384, 1024) == rows(2));
    REQUIRE(plan(8, 256) == columns(4));
    REQUIRE(plan(4, 1024) == std::nullopt); // too many images to keep
}

TEST_CASE("the first stage of the published models comes apart into eight strips", "[unit][network]") {
    REQUIRE(model::StripStage::fits(model::Config()));
    REQUIRE(model::StripStage::tokens(model::Config()) == 512);
}
