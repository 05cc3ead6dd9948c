#include "Core/Model/Network/Encoder.h"

#include "Core/Model/Network/LayerNorm.h"

#include <algorithm>

namespace earshot::model {

namespace {

// Floats that hold at least `bytes`, in whole cache lines; never 0.
std::int64_t floatsFor(std::size_t bytes) {
    return static_cast<std::int64_t>(tensor::wholeLines(bytes / sizeof(float) + 1));
}

template <typename Visit>
void forEachBlock(const NetworkWeights& weights, Visit&& visit) {
    for (const auto& stage : weights.stages)
        for (const auto& block : stage.blocks) visit(block);
    if (weights.strips)
        for (const auto& block : weights.strips->blocks) visit(block);
}

// The most floats of scratch that a linear layer outside MLPs needs.
std::int64_t scratchFloats(const NetworkWeights& weights) {
    std::size_t bytes = std::max(weights.patchProjection.scratchBytes(), weights.head.scratchBytes());
    const auto include = [&](const tensor::Linear& layer) { bytes = std::max(bytes, layer.scratchBytes()); };
    forEachBlock(weights, [&](const BlockWeights& block) {
        include(block.qkv);
        include(block.projection);
    });
    for (const auto& stage : weights.stages)
        if (stage.merging) include(stage.merging->reduction);
    if (weights.fineHead) {
        for (const auto& source : weights.fineHead->sources) include(source.projection);
        for (const auto& layer : weights.fineHead->layers) include(layer.convolution);
    }
    if (weights.strips) {
        include(weights.strips->patchProjection);
        include(weights.strips->merging.reduction);
    }
    return floatsFor(bytes);
}

// The same for the layers inside MLPs.
std::int64_t mlpScratchFloats(const NetworkWeights& weights) {
    std::size_t bytes = 0;
    forEachBlock(weights, [&](const BlockWeights& block) {
        bytes = std::max({bytes, block.expand.scratchBytes(), block.contract.scratchBytes()});
    });
    return floatsFor(bytes);
}

// A tensor whose memory has room for `count` values of type `number`.
tensor::Tensor room(std::int64_t count, tensor::Number number) {
    const auto bytes = static_cast<std::size_t>(count) * bytesOf(number);
    return tensor::Tensor({static_cast<std::int64_t>((bytes + sizeof(float) - 1) / sizeof(float))});
}

// The type of the buffer of normed tokens, which V2's MLPs also use for float32 results.
tensor::Number narrowNumber(tensor::Number activations, const Config& config) {
    return config.block == BlockKind::v2 ? tensor::Number::float32 : activations;
}

tensor::Shape streamShape(const Config& config, int stage) {
    const std::int64_t grid = config.stageGrid(stage);
    return {grid * grid, config.stageDim(stage)};
}

// Whether queries, keys and values are float32, and activations are not.
bool roundsAttended(tensor::Number activations, const Config& config) {
    return activations == tensor::Number::uint8 ||
           (config.block == BlockKind::v2 && activations != tensor::Number::float32);
}

// Memory for queries, keys and values, the MLP's hidden layer, and the float32 tokens that a merging gathers.
tensor::Tensor wideRoom(tensor::Number activations, const Config& config) {
    const auto tokens = tensor::elementCount(streamShape(config, 0));
    if (activations != tensor::Number::uint8)
        return room(std::max(config.mlpRatio, 3) * tokens, narrowNumber(activations, config));
    return room(std::max<std::int64_t>(3 * bytesOf(tensor::Number::float32), config.mlpRatio) * tokens,
                tensor::Number::uint8);
}

} // namespace

Encoder::Encoder(const NetworkWeights& weights, const Config& config)
    : weights_(weights)
    , config_(config)
    // The first stage has the most values; each later stage has half of them.
    , narrow_(room(tensor::elementCount(streamShape(config, 0)), narrowNumber(weights.activations, config)))
    , attended_(
          room(roundsAttended(weights.activations, config) ? tensor::elementCount(streamShape(config, 0)) : 0,
               tensor::Number::float32))
    , wide_(wideRoom(weights.activations, config))
    , scratch_({scratchFloats(weights)})
    , mlpScratch_(mlpScratchFloats(weights))
    , normed_(streamShape(config, config.stageCount() - 1)) {
    for (int stage = 0; stage < config.stageCount(); ++stage)
        streams_.emplace_back(streamShape(config, stage));
    patchEmbed_ = std::make_unique<PatchEmbed>(weights, weights.patchProjection, config, config.stageGrid(0),
                                               streams_[0].data(), scratch_.data());
    for (int stage = 0; stage < config.stageCount(); ++stage)
        buildStage(weights.stages[static_cast<std::size_t>(stage)], config, stage);
}

void Encoder::takeApart(std::optional<StripPlan> plan) {
    strips_.reset();
    if (plan)
        strips_ = std::make_unique<StripStage>(weights_, config_, *plan, blockBuffers(), gathered(),
                                               streams_[0].data(), streams_[1].data());
}

BlockBuffers Encoder::blockBuffers() {
    void* const attended = attended_.empty() ? narrow_.data() : attended_.data();
    const MlpBuffers mlp{reinterpret_cast<std::byte*>(narrow_.data()),
                         reinterpret_cast<std::byte*>(wide_.data()), &mlpScratch_};
    return {narrow_.data(), attended, wide_.data(), scratch_.data(), mlp};
}

float* Encoder::gathered() {
    return weights_.activations == tensor::Number::float32 ? narrow_.data() : wide_.data();
}

void Encoder::buildStage(const StageWeights& weights, const Config& config, int stage) {
    const auto index = static_cast<std::size_t>(stage);
    const int grid = config.stageGrid(stage);
    const int side = config.stageAttentionSide(stage);
    Stage built;
    built.plain = std::make_unique<const AttentionLayout>(grid, side, 0);
    if (grid > side) built.shifted = std::make_unique<const AttentionLayout>(grid, side, side / 2);
    const auto buffers = blockBuffers();
    for (std::size_t block = 0; block < weights.blocks.size(); ++block) {
        const bool shift = block % 2 == 1 && built.shifted;
        built.blocks.emplace_back(weights.blocks[block], shift ? *built.shifted : *built.plain,
                                  config.heads[index], streams_[index].data(), buffers);
    }
    if (weights.merging) {
        built.merging =
            std::make_unique<PatchMerging>(*weights.merging, grid, grid, streams_[index].data(), gathered(),
                                           narrow_.data(), streams_[index + 1].data(), scratch_.data());
    }
    stages_.push_back(std::move(built));
}

void Encoder::embed(std::span<const float> image) { patchEmbed_->run(image); }

SwinBlock& Encoder::block(int stage, int index) {
    return stages_[static_cast<std::size_t>(stage)].blocks[static_cast<std::size_t>(index)];
}

void Encoder::merge(int stage) { stages_[static_cast<std::size_t>(stage)].merging->run(); }

std::span<const float> Encoder::merged(int stage) const {
    return stages_[static_cast<std::size_t>(stage)].merging->normed();
}

void Encoder::normalise() {
    layerNorm(weights_.norm, streams_.back().data(), normed_.data(), tensor::Number::float32,
              normed_.shape()[0]);
}

std::size_t Encoder::memoryBytes() const {
    std::size_t bytes = narrow_.bytes() + attended_.bytes() + wide_.bytes() + scratch_.bytes() +
                        mlpScratch_.bytes() + normed_.bytes();
    for (const auto& stream : streams_) bytes += stream.bytes();
    if (strips_) bytes += strips_->memoryBytes();
    return bytes;
}

} // namespace earshot::model
