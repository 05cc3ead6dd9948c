#include "Core/Model/Calibration.h"

#include "Core/Model/Encoder.h"
#include "Core/Model/NetworkWeights.h"
#include "Core/Model/SpectrogramImage.h"
#include "Core/Tensor/Threads.h"

#include <cassert>

namespace earshot::model {

namespace {

void measureBlock(SwinBlock& block, BlockRanges& ranges) {
    block.normAndQkv();
    includeRows(ranges.norm1, block.normed());
    block.attend();
    ranges.attended.include(block.normed());
    block.project();
    block.mlp();
    includeRows(ranges.norm2, block.normed());
    ranges.hidden.include(block.hidden());
}

} // namespace

ActivationRanges measureActivations(const Weights& weights, std::span<const std::vector<float>> windows) {
    const tensor::ThreadCountScope one(1);
    const auto& config = weights.config();
    assert(weights.network().activations == tensor::Number::float32);
    Encoder encoder(weights.network(), config);
    tensor::Tensor image({config.imageSize, config.imageSize});
    ActivationRanges ranges(static_cast<std::size_t>(config.stageCount()));
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        auto& found = ranges[static_cast<std::size_t>(stage)];
        const auto width = static_cast<std::size_t>(config.stageDim(stage));
        for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block)
            found.blocks.push_back({std::vector<ValueRange>(width), {}, std::vector<ValueRange>(width), {}});
        if (stage + 1 < config.stageCount()) found.merging.resize(4 * width);
    }
    for (auto frames : windows) {
        normaliseBands(frames, weights.network());
        foldFrames(frames, image.values(), config);
        encoder.embed(image.values());
        for (int stage = 0; stage < config.stageCount(); ++stage) {
            auto& found = ranges[static_cast<std::size_t>(stage)];
            for (std::size_t block = 0; block < found.blocks.size(); ++block)
                measureBlock(encoder.block(stage, static_cast<int>(block)), found.blocks[block]);
            if (found.merging.empty()) continue;
            encoder.merge(stage);
            includeRows(found.merging, encoder.merged(stage));
        }
    }
    return ranges;
}

} // namespace earshot::model
