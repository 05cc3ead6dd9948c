#include "Benchmark/Products.h"

#include "Core/Model/Network/FineHead.h"

namespace earshot::benchmark {

std::map<std::string, ProductList> productsOfPass(const model::Config& config) {
    std::map<std::string, ProductList> products;
    const std::int64_t patchTokens = config.stageGrid(0) * config.stageGrid(0);
    products["patch_embed"] = {{1, patchTokens, config.patchSize * config.patchSize, config.embedDim}};
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        const auto name = "stage" + std::to_string(stage);
        const std::int64_t grid = config.stageGrid(stage), tokens = grid * grid,
                           width = config.stageDim(stage);
        const std::int64_t attentionTokens =
            config.stageAttentionSide(stage) * config.stageAttentionSide(stage);
        const std::int64_t heads = config.heads[static_cast<std::size_t>(stage)];
        const std::int64_t windows = tokens / attentionTokens, headDim = width / heads;
        for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block) {
            const auto blockName = name + ".block" + std::to_string(block);
            products[blockName + ".qkv"] = {{1, tokens, width, 3 * width}};
            products[blockName + ".attention"] = {
                {windows * heads, attentionTokens, headDim, attentionTokens},
                {windows * heads, attentionTokens, attentionTokens, headDim}};
            products[blockName + ".projection"] = {{1, tokens, width, width}};
            products[blockName + ".mlp"] = {{1, tokens, width, config.mlpRatio * width},
                                            {1, tokens, config.mlpRatio * width, width}};
        }
        if (stage + 1 < config.stageCount())
            products[name + ".merging"] = {{1, tokens / 4, 4 * width, 2 * width}};
    }
    const std::int64_t latent = config.latentDim(), steps = config.stepsPerWindow();
    ProductList& head = products["head"];
    if (config.head == model::HeadKind::tscam)
        head = {
            {1, steps, latent * model::frequencyRows(config, config.stageCount() - 1) * 3, config.classes}};
    else if (config.head == model::HeadKind::pooled)
        head = {{1, steps + 1, latent, config.classes}};
    else {
        const std::int64_t width = config.headWidth;
        for (const int stage : model::headStages(config))
            head.push_back({1, config.gridColumns(stage),
                            std::int64_t{model::frequencyRows(config, stage)} * config.stageDim(stage),
                            width});
        head.insert(head.end(), static_cast<std::size_t>(config.headLayers),
                    {1, steps, model::FineHead::kernelWidth * width, width});
        head.push_back({1, steps, width, config.classes});
    }
    return products;
}

} // namespace earshot::benchmark
