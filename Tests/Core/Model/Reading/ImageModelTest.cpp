#include "Core/Model/Reading/ImageModel.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

using namespace earshot;

namespace {

using Tensors = std::map<std::string, model::TensorInfo>;

// The tiny image model after something was done to its list of tensors.
test::AlteredCheckpoint altered(const std::function<void(Tensors&)>& change) {
    return {test::proceduralCheckpoint(test::tinyImage()), change};
}

model::Config configOf(const test::ProceduralImage& image) {
    const auto checkpoint = test::proceduralCheckpoint(image);
    return model::startingConfig(*checkpoint, model::findImageModel(*checkpoint).value());
}

} // namespace

TEST_CASE("an image model is known by its colours, and named by its classes", "[unit]") {
    auto image = test::tinyImage();
    const auto nameOf = [&](int classes) {
        image.config.classes = classes;
        return model::findImageModel(*test::proceduralCheckpoint(image)).value().name();
    };
    CHECK(nameOf(1000) == "Swin V1 image model (ImageNet, 1000 classes)");
    CHECK(nameOf(21841) == "Swin V1 image model (ImageNet-22K, 21841 classes)");
    CHECK(nameOf(10) == "Swin V1 image model (10 classes)");
    image.config.block = model::BlockKind::v2;
    CHECK(nameOf(1000) == "Swin V2 image model (ImageNet, 1000 classes)");
    const auto headless = altered([](Tensors& tensors) {
        tensors.erase("head.weight");
        tensors.erase("head.bias");
    });
    CHECK(model::findImageModel(headless).value().name() == "Swin V1 image model");

    CHECK_FALSE(model::findImageModel(*test::proceduralCheckpoint(test::smallModel())));
    CHECK_FALSE(model::findImageModel(
        altered([](Tensors& tensors) { tensors["patch_embed.proj.weight"].shape[1] = 1; })));
    CHECK_FALSE(model::findImageModel(altered(
        [](Tensors& tensors) { tensors.erase("layers.0.blocks.0.attn.relative_position_bias_table"); })));
    // A model of sounds that has the image model beside it is one of sounds.
    const auto sounds = test::proceduralCheckpoint(test::smallModel());
    CHECK_FALSE(model::findImageModel(altered([&](Tensors& tensors) {
        for (const auto& [name, info] : sounds->tensors()) tensors["sed_model." + name] = info;
    })));
}

TEST_CASE("published image models have the published numbers of parameters", "[unit]") {
    CHECK(model::findImageModel(*test::proceduralCheckpoint(test::publishedImage(7))).value().parameters ==
          28288354);
}

TEST_CASE("the network that starts from an image model has its encoder and HTS-AT's front end", "[unit]") {
    CHECK(configOf(test::publishedImage(8)) == model::Config{});
    auto expected = model::Config{};
    expected.heads = {3, 6, 12, 24};
    CHECK(configOf(test::publishedImage(7)) == expected);

    expected = model::Config{};
    auto image = test::tinyImage();
    expected.embedDim = 24;
    expected.depths = {2, 2, 2};
    expected.heads = {2, 4, 8};
    expected.attentionSide = 4;
    CHECK(configOf(image) == expected);
    for (const auto& [theirs, ours] : {std::pair{1, 1}, {2, 2}, {16, 16}, {5, 8}, {12, 8}}) {
        CAPTURE(theirs);
        image.config.attentionSide = theirs;
        image.config.imageSize = 16 * theirs;
        CHECK(configOf(image).attentionSide == ours);
    }
    image = test::tinyImage();
    image.config.qkvBias = image.config.patchNorm = false;
    image.config.absolutePositionEmbedding = true;
    image.config.mlpRatio = 2;
    const auto config = configOf(image);
    CHECK_FALSE(config.qkvBias);
    CHECK_FALSE(config.patchNorm);
    CHECK(config.absolutePositionEmbedding);
    CHECK(config.mlpRatio == 2);
}

TEST_CASE("V2's biases keep the attention windows for which they were trained", "[unit]") {
    auto image = test::tinyImage();
    image.config.block = model::BlockKind::v2;
    image.config.imageSize = 4 * 24;
    for (const auto& [theirs, ours] : {std::pair{8, 8}, {12, 8}, {6, 8}}) {
        CAPTURE(theirs);
        image.config.attentionSide = theirs;
        const auto config = configOf(image);
        CHECK(config.block == model::BlockKind::v2);
        CHECK(config.attentionSide == ours);
        CHECK(config.pretrainedSides == std::vector<int>{theirs, theirs, 6});
    }
    image.config.attentionSide = 6;
    image.config.pretrainedSides = {4, 4, 3};
    CHECK(configOf(image).pretrainedSides == image.config.pretrainedSides);

    // Without its distances, a file says nothing of its attention window.
    image.config.pretrainedSides = {};
    test::AlteredCheckpoint silent(test::proceduralCheckpoint(image), [](Tensors& tensors) {
        std::erase_if(tensors, [](const auto& item) { return item.first.ends_with("coords_table"); });
    });
    const auto config = model::startingConfig(silent, model::findImageModel(silent).value());
    CHECK(config.attentionSide == 8);
    CHECK(config.pretrainedSides.empty());
}

TEST_CASE("image models that nothing can start from are refused by name", "[unit]") {
    const auto refused = [](auto&& checkpoint, const std::string& words) {
        INFO(words);
        const auto image = model::findImageModel(checkpoint);
        REQUIRE(image);
        REQUIRE_THROWS_AS(model::startingConfig(checkpoint, *image), Error);
        REQUIRE_THROWS_WITH(model::startingConfig(checkpoint, *image),
                            ContainsSubstring(words) && ContainsSubstring(checkpoint.file().string()));
    };
    // V2 has no biases for one token.
    auto single = test::tinyImage();
    single.config.block = model::BlockKind::v2;
    single.config.attentionSide = 1;
    refused(*test::proceduralCheckpoint(single), "its largest coordinate is that of no attention window");
    const std::string patches = "patch_embed.proj.weight";
    const auto withPatches = [&](const tensor::Shape& shape) {
        return altered([&](Tensors& tensors) { tensors[patches].shape = shape; });
    };
    refused(withPatches({24, 3, 4, 2}), "(width, 3, patch, patch)");
    refused(withPatches({24, 3, 500, 500}), "cannot be built");
    refused(withPatches({4096, 3, 64, 64}), "cannot be built");
    const std::string table = ".blocks.0.attn.relative_position_bias_table";
    refused(altered([&](Tensors& tensors) {
                tensors["layers.0" + table].shape = {48, 2};
            }),
            "layers.0" + table);
    refused(altered([&](Tensors& tensors) { tensors.erase("layers.1" + table); }), "layers.1" + table);
    refused(altered([&](Tensors& tensors) {
                tensors["layers.1" + table].shape = {49, 5};
            }),
            "multiple of the heads");
}

TEST_CASE("who would listen with an image model is told what it is for", "[unit]") {
    auto image = test::tinyImage();
    CHECK_THROWS_WITH(model::readLayout(*test::proceduralCheckpoint(image)),
                      ContainsSubstring("is a Swin V1 image model (10 classes)") &&
                          ContainsSubstring("cannot listen by itself") &&
                          ContainsSubstring("earshot train --from procedural"));
    image.config.block = model::BlockKind::v2;
    CHECK_THROWS_WITH(model::readLayout(*test::proceduralCheckpoint(image)),
                      ContainsSubstring("Swin V2 image model"));
}
