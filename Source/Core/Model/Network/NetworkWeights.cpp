#include "Core/Model/Network/NetworkWeights.h"

#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/Mlp.h"
#include "Core/Model/Network/StripStage.h"
#include "Core/Model/Reading/TensorReader.h"
#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::model {

namespace {

using tensor::Epilogue;
using tensor::Linear;
using tensor::Tensor;

constexpr float batchNormEpsilon = 1e-5f;

using ByteScales = TensorReader::ByteScales;
using Output = TensorReader::Output;

// What byte layers read and write, measured; all empty otherwise.
struct BlockScales {
    ByteScales norm1, attended, norm2, hidden; // by column
    std::optional<tensor::ByteScale> hiddenResult;

    BlockScales(const BlockRanges* ranges, std::int64_t hiddenWidth) {
        if (ranges == nullptr) return;
        norm1 = channelScales(ranges->norm1);
        attended.assign(norm1.size(), commonScale(ranges->attended));
        norm2 = channelScales(ranges->norm2);
        hiddenResult = geluScale(ranges->hidden);
        hidden.assign(static_cast<std::size_t>(hiddenWidth), *hiddenResult);
    }
};

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
    for (std::int64_t head = 0; head < heads; ++head)
        for (int query = 0; query < tokens; ++query)
            for (int key = 0; key < tokens; ++key) {
                const int rowDistance = query / window - key / window + window - 1;
                const int columnDistance = query % window - key % window + window - 1;
                const int entry = rowDistance * (2 * window - 1) + columnDistance;
                spread.data()[(head * tokens + query) * padded + key] = table.data()[entry * heads + head];
            }
    return spread;
}

// rows: of a pass, or of a strip of it; mlpRows: of the MLP's calls.
struct BlockRows {
    std::int64_t rows, mlpRows;
};

BlockWeights readBlock(TensorReader& reader, const Config& config, int stage, int block, BlockRows shape,
                       const BlockRanges* ranges) {
    const auto name = "layers." + std::to_string(stage) + ".blocks." + std::to_string(block);
    const std::int64_t width = config.stageDim(stage);
    const auto [rows, rowsAtOnce] = shape;
    const int window = config.stageWindow(stage);
    const int heads = config.heads[static_cast<std::size_t>(stage)];
    const std::int64_t positions = (2 * window - 1) * (2 * window - 1);

    const std::int64_t hidden = width * config.mlpRatio;
    const BlockScales scales(ranges, hidden);

    auto norm1 = reader.norm(name + ".norm1", width, scales.norm1);
    auto qkv = reader.linear(name + ".attn.qkv", rows, width, 3 * width, config.qkvBias, Epilogue::none,
                             Output::activations, scales.norm1);
    const auto table = reader.read(name + ".attn.relative_position_bias_table", {positions, heads});
    auto projection = reader.linear(name + ".attn.proj", rows, width, width, true, Epilogue::add,
                                    Output::float32, scales.attended);
    auto norm2 = reader.norm(name + ".norm2", width, scales.norm2);
    // In float32 and bfloat16 Mlp has a faster GELU than oneDNN's epilogue.
    const auto expandEpilogue = ranges == nullptr ? Epilogue::none : Epilogue::gelu;
    auto expand = reader.linear(name + ".mlp.fc1", rowsAtOnce, width, hidden, true, expandEpilogue,
                                Output::activations, scales.norm2, scales.hiddenResult);
    auto contract = reader.linear(name + ".mlp.fc2", rowsAtOnce, hidden, width, true, Epilogue::add,
                                  Output::float32, scales.hidden);
    return {.norm1 = std::move(norm1),
            .qkv = std::move(qkv),
            .positionBias = spreadPositionBias(table, window, heads),
            .attended = ranges == nullptr ? tensor::ByteScale() : scales.attended.front(),
            .projection = std::move(projection),
            .norm2 = std::move(norm2),
            .expand = std::move(expand),
            .contract = std::move(contract)};
}

MergingWeights readMerging(TensorReader& reader, const Config& config, int stage, std::int64_t rows,
                           const StageRanges* ranges) {
    const auto name = "layers." + std::to_string(stage) + ".downsample";
    const std::int64_t width = config.stageDim(stage);
    const auto scales = ranges == nullptr ? ByteScales() : channelScales(ranges->merging);
    auto norm = reader.norm(name + ".norm", 4 * width, scales);
    return {std::move(norm), reader.linear(name + ".reduction", rows, 4 * width, 2 * width, false,
                                           Epilogue::none, Output::float32, scales)};
}

std::vector<BlockWeights> readBlocks(TensorReader& reader, const Config& config, int stage, BlockRows shape,
                                     const StageRanges* ranges) {
    const int depth = config.depths[static_cast<std::size_t>(stage)];
    std::vector<BlockWeights> blocks;
    blocks.reserve(static_cast<std::size_t>(depth));
    for (int block = 0; block < depth; ++block)
        blocks.push_back(
            readBlock(reader, config, stage, block, shape,
                      ranges == nullptr ? nullptr : &ranges->blocks[static_cast<std::size_t>(block)]));
    return blocks;
}

StageWeights readStage(TensorReader& reader, const Config& config, int stage, const StageRanges* ranges) {
    const std::int64_t grid = config.stageGrid(stage);
    StageWeights out;
    out.blocks = readBlocks(reader, config, stage, {grid * grid, mlpRows(config, stage)}, ranges);
    if (stage + 1 < config.stageCount())
        out.merging = readMerging(reader, config, stage, grid * grid / 4, ranges);
    return out;
}

Linear readPatchProjection(TensorReader& reader, const Config& config, std::int64_t rows) {
    const std::int64_t side = config.patchSize;
    const auto weights = reader.read("patch_embed.proj.weight", {config.embedDim, 1, side, side});
    const auto bias = reader.read("patch_embed.proj.bias", {config.embedDim});
    return {rows, side * side, config.embedDim, weights.values(), bias.values(), Epilogue::none};
}

Linear readHead(TensorReader& reader, const Config& config) {
    const std::int64_t latent = config.latentDim();
    const std::int64_t tokens = config.tokensPerWindow();
    if (!config.tscam)
        return reader.linear("head", tokens + 1, latent, config.classes, true, Epilogue::none,
                             Output::float32);
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
            reader.numbers(Output::float32)};
}

// The same tensors once more, packed for fewer rows.
StripWeights readStrips(TensorReader& reader, const Config& config, const StageRanges* ranges) {
    const std::int64_t rows = StripStage::tokens(config);
    return {.patchProjection = readPatchProjection(reader, config, rows),
            .blocks = readBlocks(reader, config, 0, {rows, rows}, ranges),
            .merging = readMerging(reader, config, 0, rows / 4, ranges)};
}

} // namespace

NetworkWeights readNetworkWeights(Checkpoint& checkpoint, const std::string& prefix, const Config& config,
                                  Precision precision, const ActivationRanges* ranges,
                                  std::int64_t& parameterCount) {
    assert((precision == Precision::int8) == (ranges != nullptr));
    const auto activations = precision == Precision::int8       ? tensor::Number::uint8
                             : precision == Precision::bfloat16 ? tensor::Number::bfloat16
                                                                : tensor::Number::float32;
    TensorReader reader(checkpoint, prefix, activations, parameterCount);
    const std::int64_t grid = config.stageGrid(0);
    NetworkWeights out{.activations = activations,
                       .bandScale = {},
                       .bandShift = {},
                       .melFilters = {},
                       .patchProjection = readPatchProjection(reader, config, grid * grid),
                       .patchNorm = {},
                       .absolutePosition = {},
                       .stages = {},
                       .strips = {},
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
        out.absolutePosition = reader.read("absolute_pos_embed", {1, grid * grid, config.embedDim});
    }
    for (int stage = 0; stage < config.stageCount(); ++stage)
        out.stages.push_back(
            readStage(reader, config, stage,
                      ranges == nullptr ? nullptr : &(*ranges)[static_cast<std::size_t>(stage)]));
    if (StripStage::fits(config)) {
        std::int64_t alreadyCounted = 0;
        TensorReader again(checkpoint, prefix, activations, alreadyCounted);
        out.strips = readStrips(again, config, ranges == nullptr ? nullptr : &ranges->front());
    }
    return out;
}

} // namespace earshot::model
