#include "Core/Model/NetworkWeights.h"

#include "Core/Model/EventHead.h"
#include "Core/Model/TensorReader.h"
#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <cmath>

namespace earshot::model {

namespace {

using tensor::Epilogue;
using tensor::Linear;
using tensor::Tensor;

constexpr float batchNormEpsilon = 1e-5f;

void readBandNorm(TensorReader& reader, const Config& config, NetworkWeights& out) {
    const tensor::Shape shape = {config.melBands};
    const auto gain = reader.read("bn0.weight", shape);
    const auto bias = reader.read("bn0.bias", shape);
    const auto mean = reader.readConstant("bn0.running_mean", shape);
    const auto variance = reader.readConstant("bn0.running_var", shape);
    out.bandScale = Tensor(shape);
    out.bandShift = Tensor(shape);
    for (int band = 0; band < config.melBands; ++band) {
        const float spread = variance.data()[band];
        if (!(spread >= 0.0f))
            reader.fail("bn0.running_var", "holds a negative variance; the file is damaged");
        const float scale = gain.data()[band] / std::sqrt(spread + batchNormEpsilon);
        out.bandScale.data()[band] = scale;
        out.bandShift.data()[band] = bias.data()[band] - mean.data()[band] * scale;
    }
}

// The table holds one value per head for each relative position (row, column) of two tokens in a window,
// ((2w - 1)^2, heads); a pass adds whole rows of scores, so it is spread out to (heads, n, padded n).
Tensor spreadPositionBias(const Tensor& table, int window, int heads) {
    const int tokens = window * window;
    const int padded = tensor::paddedWindow(tokens);
    Tensor spread({heads, tokens, padded});
    std::fill(spread.values().begin(), spread.values().end(), tensor::paddingScore);
    for (int head = 0; head < heads; ++head)
        for (int query = 0; query < tokens; ++query)
            for (int key = 0; key < tokens; ++key) {
                const int rowDistance = query / window - key / window + window - 1;
                const int columnDistance = query % window - key % window + window - 1;
                const int entry = rowDistance * (2 * window - 1) + columnDistance;
                spread.data()[(head * tokens + query) * padded + key] = table.data()[entry * heads + head];
            }
    return spread;
}

BlockWeights readBlock(TensorReader& reader, const Config& config, int stage, int block) {
    const auto name = "layers." + std::to_string(stage) + ".blocks." + std::to_string(block);
    const std::int64_t width = config.stageDim(stage);
    const std::int64_t grid = config.stageGrid(stage);
    const std::int64_t rows = grid * grid;
    const int window = config.stageWindow(stage);
    const int heads = config.heads[static_cast<std::size_t>(stage)];
    const std::int64_t positions = (2 * window - 1) * (2 * window - 1);

    auto norm1 = reader.norm(name + ".norm1", width);
    auto qkv = reader.linear(name + ".attn.qkv", rows, width, 3 * width, config.qkvBias, Epilogue::none,
                             TensorReader::Output::activations);
    const auto table = reader.read(name + ".attn.relative_position_bias_table", {positions, heads});
    auto projection = reader.linear(name + ".attn.proj", rows, width, width, true, Epilogue::add,
                                    TensorReader::Output::float32);
    auto norm2 = reader.norm(name + ".norm2", width);
    const std::int64_t hidden = width * config.mlpRatio;
    auto expand = reader.linear(name + ".mlp.fc1", rows, width, hidden, true, Epilogue::gelu,
                                TensorReader::Output::activations);
    auto contract = reader.linear(name + ".mlp.fc2", rows, hidden, width, true, Epilogue::add,
                                  TensorReader::Output::float32);
    return {std::move(norm1),      std::move(qkv),   spreadPositionBias(table, window, heads),
            std::move(projection), std::move(norm2), std::move(expand),
            std::move(contract)};
}

MergingWeights readMerging(TensorReader& reader, const Config& config, int stage) {
    const auto name = "layers." + std::to_string(stage) + ".downsample";
    const std::int64_t width = config.stageDim(stage);
    const std::int64_t grid = config.stageGrid(stage + 1);
    auto norm = reader.norm(name + ".norm", 4 * width);
    return {std::move(norm), reader.linear(name + ".reduction", grid * grid, 4 * width, 2 * width, false,
                                           Epilogue::none, TensorReader::Output::float32)};
}

StageWeights readStage(TensorReader& reader, const Config& config, int stage) {
    StageWeights out;
    for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block)
        out.blocks.push_back(readBlock(reader, config, stage, block));
    if (stage + 1 < config.stageCount()) out.merging = readMerging(reader, config, stage);
    return out;
}

Linear readPatchProjection(TensorReader& reader, const Config& config) {
    const std::int64_t side = config.patchSize;
    const std::int64_t grid = config.stageGrid(0);
    const auto weights = reader.read("patch_embed.proj.weight", {config.embedDim, 1, side, side});
    const auto bias = reader.read("patch_embed.proj.bias", {config.embedDim});
    return {grid * grid, side * side, config.embedDim, weights.values(), bias.values(), Epilogue::none};
}

Linear readHead(TensorReader& reader, const Config& config) {
    const std::int64_t latent = config.latentDim();
    const std::int64_t tokens = config.tokensPerWindow();
    if (!config.tscam)
        return reader.linear("head", tokens + 1, latent, config.classes, true, Epilogue::none,
                             TensorReader::Output::float32);
    const std::int64_t rows = EventHead::frequencyRows(config);
    const auto kernel =
        reader.read("tscam_conv.weight", {config.classes, latent, rows, EventHead::kernelWidth});
    const auto bias = reader.read("tscam_conv.bias", {config.classes});
    const auto weights = EventHead::arrangeKernel(config, kernel);
    return {tokens,
            rows * EventHead::kernelWidth * latent,
            config.classes,
            weights.values(),
            bias.values(),
            Epilogue::none,
            reader.numbers(TensorReader::Output::float32)};
}

} // namespace

NetworkWeights readNetworkWeights(Checkpoint& checkpoint, const std::string& prefix, const Config& config,
                                  Precision precision, std::int64_t& parameterCount) {
    const auto activations =
        precision == Precision::bfloat16 ? tensor::Number::bfloat16 : tensor::Number::float32;
    TensorReader reader(checkpoint, prefix, activations, parameterCount);
    NetworkWeights out{.activations = activations,
                       .bandScale = {},
                       .bandShift = {},
                       .melFilters = {},
                       .patchProjection = readPatchProjection(reader, config),
                       .patchNorm = {},
                       .absolutePosition = {},
                       .stages = {},
                       .norm = reader.norm("norm", config.latentDim()),
                       .head = readHead(reader, config)};
    readBandNorm(reader, config, out);
    if (reader.contains("logmel_extractor.melW")) {
        const auto filters =
            reader.readConstant("logmel_extractor.melW", {config.fftSize / 2 + 1, config.melBands});
        out.melFilters.assign(filters.values().begin(), filters.values().end());
    }
    if (config.patchNorm) out.patchNorm = reader.norm("patch_embed.norm", config.embedDim);
    if (config.absolutePositionEmbedding) {
        const std::int64_t tokens = config.stageGrid(0) * config.stageGrid(0);
        out.absolutePosition = reader.read("absolute_pos_embed", {1, tokens, config.embedDim});
    }
    for (int stage = 0; stage < config.stageCount(); ++stage)
        out.stages.push_back(readStage(reader, config, stage));
    return out;
}

} // namespace earshot::model
