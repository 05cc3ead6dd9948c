#include "Core/Model/MemoryNeed.h"

#include "Core/Base/Error.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Environment.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

using namespace earshot;

namespace {

constexpr std::uint64_t megabyte = 1'000'000;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

// What the code that allocates it says of itself.
void requireCovered(const std::shared_ptr<const model::Weights>& weights) {
    const auto* const projection = weights->projection();
    const auto need =
        model::memoryNeed(weights->config(), projection == nullptr ? 0 : projection->dimensions());
    model::Network network(weights);
    network.expectHop(weights->config().windowFrames() / 4, weights->config().windowFrames());
    CAPTURE(need.weights, weights->memoryBytes(), need.pass, network.workspaceBytes());
    REQUIRE(need.weights >= weights->memoryBytes());
    REQUIRE(need.weights <= 3 * weights->memoryBytes() + megabyte); // narrow layers are padded
    REQUIRE(need.pass >= network.workspaceBytes());
    // Masks, attention's scratch and the spectrogram's parts are none of the workspace.
    REQUIRE(need.pass <= 3 * network.workspaceBytes() + 16 * megabyte);
}

std::shared_ptr<const model::Weights> weightsOf(const test::ProceduralModel& model) {
    return std::make_shared<const model::Weights>(*test::proceduralCheckpoint(model));
}

// As a file describes it: names and shapes alone.
class Described : public model::Checkpoint {
  public:
    explicit Described(const test::ProceduralModel& model) {
        const auto procedural = test::proceduralCheckpoint(model);
        file_ = "m.safetensors";
        tensors_ = procedural->tensors();
        metadata_ = procedural->metadata();
    }
    tensor::Tensor read(const std::string&) override { throw Error("was read"); }
};

void requireRefused(const test::ProceduralModel& model) {
    const Described checkpoint(model);
    REQUIRE_THROWS_AS(model::readLayout(checkpoint), Error);
    REQUIRE_THROWS_WITH(model::readLayout(checkpoint),
                        ContainsSubstring("m.safetensors: would take") &&
                            ContainsSubstring("a model may take at most 2.0 GiB") &&
                            ContainsSubstring("EARSHOT_MODEL_MEMORY"));
}

// As many heads as channels, attention windows of 1024 tokens: tables of a few megabytes spread to gigabytes.
test::ProceduralModel manyHeads() {
    test::ProceduralModel heads = test::smallModel();
    heads.config.imageSize = 256;
    heads.config.melBands = 64;
    heads.config.attentionSide = 32;
    heads.config.embedDim = 256;
    heads.config.depths = {8};
    heads.config.heads = {256};
    return heads;
}

} // namespace

TEST_CASE("the memory worked out from a config is what a model takes", "[unit][model][no-emulator]") {
    requireCovered(weightsOf(test::smallModel()));
    requireCovered(weightsOf(test::tinyModel()));
    requireCovered(weightsOf(test::withV2Blocks(test::smallModel())));
    requireCovered(weightsOf(test::withV2Blocks(test::tinyModel())));
    requireCovered(weightsOf(test::asMicrosoftClap(test::tinyModel())));
    requireCovered(weightsOf(test::asLaionClap(test::tinyModel())));
    for (auto fine : {test::smallModel(), test::tinyModel()}) {
        fine.config = test::withHead(fine.config, model::HeadKind::fine);
        requireCovered(weightsOf(fine));
        fine.config.headWidth = 300;
        fine.config.headLayers = 9;
        requireCovered(weightsOf(fine));
    }
    auto overlapping = test::tinyModel();
    overlapping.config.patchStride = 2;
    overlapping.config.imageSize = 128;
    overlapping.config.absolutePositionEmbedding = true;
    requireCovered(weightsOf(overlapping));
    auto wide = test::smallModel(); // many heads, large windows
    wide.config.imageSize = 128;
    wide.config.attentionSide = 16;
    wide.config.heads = {8, 16};
    requireCovered(weightsOf(wide));
    requireCovered(model::loadWeights(test::defaultModelFile()));
}

TEST_CASE("the published models take a fifth of what a model may", "[unit][model]") {
    requireCovered(weightsOf(test::fullModel()));
    for (const auto& [model, dims] : {std::pair{test::fullModel(), 0},
                                      {test::asMicrosoftClap(test::fullModel()), 1024},
                                      {test::asLaionClap(test::fullModel()), 512}}) {
        const auto need = model::memoryNeed(model.config, dims);
        CAPTURE(need.weights, need.reading, need.pass);
        REQUIRE(need.total() > 150 * megabyte);
        REQUIRE(need.total() < 2 * gibibyte / 5);
        REQUIRE(need.total() < model::memoryLimit());
    }
}

TEST_CASE("a model of more memory than it may take is refused before anything is read",
          "[unit][model][no-emulator]") {
    test::ProceduralModel heads = manyHeads();
    requireRefused(heads);
    heads.config.depths = {1}; // 1 GiB
    REQUIRE_NOTHROW(model::readLayout(Described(heads)));

    test::ProceduralModel image = test::smallModel(); // every number within its own limits
    image.config.imageSize = 2048;
    image.config.melBands = 64;
    image.config.embedDim = 1024;
    image.config.heads = {8, 16};
    requireRefused(image);

    // Masks of many shifted blocks in strips; a projection; the audio of a window.
    test::ProceduralModel masks = test::smallModel();
    masks.config.imageSize = 512;
    masks.config.melBands = 128;
    masks.config.attentionSide = 32;
    masks.config.depths = {128, 1};
    requireRefused(masks);
    test::ProceduralModel projection = test::asLaionClap(test::smallModel());
    projection.embeddingDim = 1 << 13;
    REQUIRE_NOTHROW(model::readLayout(Described(projection)));
    projection.embeddingDim = 1 << 14;
    requireRefused(projection);
    test::ProceduralModel audio = test::smallModel();
    audio.config.imageSize = 4096;
    audio.config.melBands = 64;
    audio.config.patchSize = 16;
    audio.config.patchStride = 16;
    audio.config.fftSize = 65536;
    audio.config.hopSize = 65536;
    requireRefused(audio);
}

TEST_CASE("who needs larger models may allow them", "[unit][model]") {
    const test::ProceduralModel heads = manyHeads();
    const Described checkpoint(heads);
    {
        const test::EnvironmentScope more("EARSHOT_MODEL_MEMORY", "16");
        REQUIRE(model::memoryLimit() == 16 * gibibyte);
        REQUIRE_NOTHROW(model::readLayout(checkpoint));
    }
    {
        const test::EnvironmentScope less("EARSHOT_MODEL_MEMORY", "0.0001");
        REQUIRE_THROWS_WITH(model::readLayout(Described(test::smallModel())),
                            ContainsSubstring("would take"));
    }
    for (const char* const text : {"much", "0", "-1", "nan", "inf", "2 GiB", "1e9"}) {
        const test::EnvironmentScope wrong("EARSHOT_MODEL_MEMORY", text);
        REQUIRE_THROWS_WITH(model::memoryLimit(), ContainsSubstring("expected a number of GiB, such as 8"));
    }
    const test::EnvironmentScope none("EARSHOT_MODEL_MEMORY", "");
    REQUIRE(model::memoryLimit() == 2 * gibibyte);
}
