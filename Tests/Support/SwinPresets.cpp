#include "Support/SwinPresets.h"

namespace earshot::test {

using model::BlockKind;

std::vector<SwinPreset> swinPresets() {
    return {{"swin_test", BlockKind::v1, false, 21},
            {"swin_test_wide", BlockKind::v1, true, 22},
            {"swinv2_test", BlockKind::v2, false, 31},
            {"swinv2_test_wide", BlockKind::v2, true, 32}};
}

ProceduralModel modelOf(const SwinPreset& preset) {
    ProceduralModel model;
    auto& c = model.config;
    c.imageSize = 64;
    c.melBands = 16;
    c.embedDim = 24;
    c.depths = {2, 2, 2};
    c.heads = {2, 4, 8};
    c.attentionSide = preset.isWide ? 8 : 4;
    c.block = preset.block;
    c.qkvBias = !preset.isWide;
    if (preset.isWide && preset.block == BlockKind::v2) c.pretrainedSides = {6, 6, 3};
    c.classes = 10;
    model.config = withHead(c, model::HeadKind::pooled);
    model.seed = preset.seed;
    return model;
}

std::vector<float> embedded(Golden& golden, const SwinPreset& preset) {
    auto x = golden.values(preset.name + ".patch_embed");
    if (!preset.isWide) return x;
    constexpr std::int64_t values = 16 * 16 * 24; // of an image
    const auto position = proceduralValues(preset.seed, "absolute_pos_embed", {values}, 0.5);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += position.data()[i % position.size()];
    return x;
}

} // namespace earshot::test
