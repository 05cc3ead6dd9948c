#include "Core/Model/Network/Bicubic.h"

#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/ProceduralWeights.h"

using namespace earshot;

namespace {

std::vector<float> resized(std::span<const float> input, int side, int newSide) {
    const auto channels = input.size() / static_cast<std::size_t>(side * side);
    std::vector<float> output(static_cast<std::size_t>(newSide * newSide) * channels);
    model::resizeGrid(input, output, side, newSide);
    return output;
}

} // namespace

TEST_CASE("grids are resized as Swin's load_pretrained does it", "[golden]") {
    // swin_test_wide: its tables become those of attention windows of 6, its embedding that of 24 x 24
    // patches
    auto image = test::tinyImage();
    image.config.attentionSide = 8;
    image.config.qkvBias = false;
    image.config.absolutePositionEmbedding = true;
    image.seed = 22;
    const auto checkpoint = test::proceduralCheckpoint(image);
    test::Golden golden("image_start.safetensors");
    constexpr double tolerance = 2e-6; // PyTorch computed these in float32, and is 1.1e-6 off itself
    const std::string preset = "swin_test_wide_to_96_window6.";
    for (int stage = 0; stage < 3; ++stage) {
        const auto name = "layers." + std::to_string(stage) + ".blocks.1.attn.relative_position_bias_table";
        const auto table = checkpoint->read(name);
        const int side = stage == 2 ? 7 : 15;
        CHECK(golden.relativeDifference(preset + name, resized(table.values(), side, 11)) <= tolerance);
    }
    const auto embedding = resized(checkpoint->read("absolute_pos_embed").values(), 16, 24);
    std::vector<float> every4th; // tokens of 24 channels
    for (std::size_t token = 0; token < 576; token += 4)
        every4th.insert(every4th.end(), &embedding[token * 24], &embedding[token * 24] + 24);
    CHECK(golden.relativeDifference(preset + "absolute_pos_embed", every4th) <= tolerance);
}

TEST_CASE("a grid of the same side stays, and an even one stays even at any side", "[unit]") {
    const auto grid = test::randomValues(5 * 5 * 3, 4);
    CHECK(test::maxDifference(resized(grid, 5, 5), grid) <= 1e-6);
    for (const int side : {1, 2, 7})
        for (const int newSide : {1, 3, 15}) {
            const std::vector<float> even(static_cast<std::size_t>(side * side * 2), 0.75f);
            const std::vector<float> expected(static_cast<std::size_t>(newSide * newSide * 2), 0.75f);
            CAPTURE(side, newSide);
            CHECK(test::maxDifference(resized(even, side, newSide), expected) <= 2e-6);
        }
}
