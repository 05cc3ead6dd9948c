// Of each layout each tensor is left out in turn: it is refused by its name, or the layout can do without it.
#include "Core/Base/Error.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Model/Weights.h"
#include "Core/Text/TextEncoder.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

#include <functional>
#include <set>

using namespace earshot;
namespace {

using Good = std::function<std::unique_ptr<model::Checkpoint>()>;
using Names = std::set<std::string>;

// Returns the tensors without which the checkpoint is read all the same. What is refused names the tensor.
Names notNeeded(const Good& good, const std::function<void(model::Checkpoint&)>& read) {
    Names accepted;
    const auto tensors = good()->tensors();
    for (const auto& [name, info] : tensors) {
        CAPTURE(name);
        test::AlteredCheckpoint without(good(), [&](auto& all) { all.erase(name); });
        std::string message;
        try {
            read(without);
            accepted.insert(name);
            continue;
        } catch (const Error& error) {
            message = error.what();
        }
        // A network is found by this tensor, so that a file without it holds none.
        CHECK((message.find(name + ":") != std::string::npos ||
               (name.ends_with("patch_embed.proj.weight") &&
                message.find("holds no HTS-AT network") != std::string::npos)));
    }
    CHECK(accepted.size() < tensors.size());
    return accepted;
}

void load(model::Checkpoint& checkpoint) { model::Weights{checkpoint}; }

Names lacksOf(const test::ProceduralModel& model) {
    return notNeeded([&] { return test::proceduralCheckpoint(model); }, load);
}

test::ProceduralModel withHead(model::HeadKind head) {
    auto model = test::smallModel();
    model.config = test::withHead(model.config, head);
    return model;
}

} // namespace

TEST_CASE("each tensor of a network that is missing is refused by its name", "[unit]") {
    for (const auto head : {model::HeadKind::pooled, model::HeadKind::tscam, model::HeadKind::fine})
        CHECK(lacksOf(withHead(head)).empty());
    CHECK(lacksOf(test::withV2Blocks(test::smallModel())).empty());
    auto bare = test::smallModel();
    bare.config.qkvBias = bare.config.patchNorm = false;
    CHECK(lacksOf(bare).empty());
    const auto checkpoint = test::proceduralCheckpoint(bare);
    CHECK(model::openLayout(*checkpoint).remarks ==
          std::vector<std::string>{"queries, keys and values have no biases (qkv_bias)",
                                   "no norm follows the patch embedding (patch_norm)"});
}

TEST_CASE("each tensor of a CLAP model's audio half that is missing is refused by its name", "[unit]") {
    CHECK(lacksOf(test::asMicrosoftClap(test::smallModel())).empty());
    CHECK(lacksOf(test::asLaionClap(test::smallModel())).empty());
}

TEST_CASE("a head whose weights are missing is not taken for another", "[unit]") {
    // HTS-AT's files hold the head of their image model beside their own.
    test::AlteredCheckpoint both(test::proceduralCheckpoint(withHead(model::HeadKind::tscam)), [](auto& all) {
        all.erase("tscam_conv.weight");
        all["head.weight"] = {model::DType::float32, {10, 48}};
        all["head.bias"] = {model::DType::float32, {10}};
    });
    CHECK_THROWS_WITH(model::openLayout(both), ContainsSubstring("tscam_conv.weight: expected"));
}

TEST_CASE("buffers are computed, and the layout says so unless the file states its config", "[unit]") {
    CHECK(model::openLayout(*test::proceduralCheckpoint(test::tinyModel())).remarks.empty());
    class Published : public test::AlteredCheckpoint {
      public:
        Published()
            : AlteredCheckpoint(test::proceduralCheckpoint(test::tinyModel()), [](auto&) {}) {
            metadata_.clear();
        }
    } published;
    // Two of the transform, the mel matrix, an index a block and a mask in three of the four stages.
    CHECK(model::openLayout(published).remarks ==
          std::vector<std::string>{
              "spectrogram_extractor.stft.conv_real.weight and 13 other buffers are not in "
              "the file; computed from the settings"});
}

TEST_CASE("each tensor of a text half that is missing is refused by its name", "[unit][slow]") {
    for (const bool isMicrosoft : {true, false}) {
        const auto found = notNeeded(
            [&] {
                auto text = test::tinyText(isMicrosoft);
                return test::proceduralCheckpoint(text);
            },
            [](model::Checkpoint& checkpoint) {
                text::TextEncoder(checkpoint).embed(std::vector<std::string>{"a dog"});
            });
        CHECK(found.empty());
    }
}

TEST_CASE("a start for training that lacks a tensor of some blocks is refused by its name", "[unit]") {
    const auto expectMissing = [](const test::ProceduralImage& image, const std::string& name) {
        test::AlteredCheckpoint without(test::proceduralCheckpoint(image),
                                        [&](auto& all) { all.erase(name); });
        const auto found = model::findImageModel(without);
        REQUIRE(found);
        const auto config = model::startingConfig(without, *found);
        CHECK(config.qkvBias);
        CHECK(config.patchNorm);
    };
    expectMissing(test::tinyImage(), "layers.0.blocks.0.attn.qkv.bias");
    expectMissing(test::tinyImage(), "patch_embed.norm.weight");
    auto v2 = test::tinyImage();
    v2.config.block = model::BlockKind::v2;
    test::AlteredCheckpoint cut(test::proceduralCheckpoint(v2),
                                [](auto& all) { all.erase("layers.1.blocks.0.attn.relative_coords_table"); });
    const auto found = model::findImageModel(cut);
    REQUIRE(found);
    CHECK_THROWS_WITH(model::startingConfig(cut, *found),
                      ContainsSubstring("layers.1.blocks.0.attn.relative_coords_table: expected"));
}
