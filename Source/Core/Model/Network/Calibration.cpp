#include "Core/Model/Network/Calibration.h"

#include "Core/Model/Network/Encoder.h"
#include "Core/Model/Network/InputImage.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace earshot::model {

namespace {

void measureBlock(SwinBlock& block, BlockRanges& ranges) {
    block.normAndQkv();
    includeRows(ranges.qkv, block.normed());
    block.attend();
    ranges.projection.include(block.normed());
    block.project();
    block.mlp([&](std::span<const float> normed, std::span<const float> hidden) {
        includeRows(ranges.expand, normed);
        ranges.contract.include(hidden);
    });
}

ActivationRanges measureWindow(const Weights& weights, std::vector<float> frames) {
    const auto& config = weights.config();
    Encoder encoder(weights.network(), config);
    tensor::Tensor image({config.imageSize, config.imageSize});
    ActivationRanges ranges(static_cast<std::size_t>(config.stageCount()));
    normaliseBands(frames, weights.network());
    foldFrames(frames, image.values(), config);
    encoder.embed(image.values());
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        auto& found = ranges[static_cast<std::size_t>(stage)];
        const auto width = static_cast<std::size_t>(config.stageDim(stage));
        for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block) {
            found.blocks.push_back({std::vector<ValueRange>(width), {}, std::vector<ValueRange>(width), {}});
            measureBlock(encoder.block(stage, block), found.blocks.back());
        }
        if (stage + 1 == config.stageCount()) break;
        found.merging.resize(4 * width);
        encoder.merge(stage);
        includeRows(found.merging, encoder.merged(stage));
    }
    encoder.normalise(); // what the last block gives
    requireNumbers(encoder.output());
    return ranges;
}

} // namespace

ActivationRanges measureActivations(const Weights& weights, std::span<const std::vector<float>> windows,
                                    const StopToken& stop) {
    assert(weights.network().activations == tensor::Number::float32);
    const int together = std::max(1, tensor::availableCores());
    const auto count = static_cast<std::size_t>(together);
    tensor::ThreadPool team(together);
    ActivationRanges ranges;
    for (std::size_t first = 0; first < windows.size(); first += count) {
        stop.check();
        const StopToken::Computing computing(stop);
        const auto group = windows.subspan(first, std::min(count, windows.size() - first));
        std::vector<ActivationRanges> measured(group.size());
        team.run([&](int member) {
            const auto i = static_cast<std::size_t>(member);
            if (i < group.size()) measured[i] = measureWindow(weights, group[i]);
        });
        for (ActivationRanges& found : measured)
            if (ranges.empty())
                ranges = std::move(found);
            else
                include(ranges, found);
    }
    return ranges;
}

} // namespace earshot::model
