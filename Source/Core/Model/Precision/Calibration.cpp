#include "Core/Model/Precision/Calibration.h"

#include "Core/Model/Network/Encoder.h"
#include "Core/Model/Network/InputImage.h"
#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <future>
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
    const tensor::ThreadCountScope one(1);
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
    return ranges;
}

} // namespace

ActivationRanges measureActivations(const Weights& weights, std::span<const std::vector<float>> windows,
                                    const StopToken& stop) {
    assert(weights.network().activations == tensor::Number::float32);
    const auto together = static_cast<std::size_t>(std::max(1, tensor::availableCores()));
    ActivationRanges ranges;
    for (std::size_t first = 0; first < windows.size(); first += together) {
        stop.check();
        const StopToken::Computing computing(stop);
        std::vector<std::future<ActivationRanges>> passes;
        for (const auto& window : windows.subspan(first, std::min(together, windows.size() - first)))
            passes.push_back(std::async(std::launch::async, measureWindow, std::cref(weights), window));
        for (auto& pass : passes) {
            if (ranges.empty())
                ranges = pass.get();
            else
                include(ranges, pass.get());
        }
    }
    return ranges;
}

} // namespace earshot::model
