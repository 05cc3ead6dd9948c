#include "Core/Model/Network/NetworkWeights.h"

#include "Core/Model/BlockForm.h"
#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/FineHead.h"
#include "Core/Model/Network/Mlp.h"
#include "Core/Model/Network/PositionBias.h"
#include "Core/Model/Network/StripStage.h"
#include "Core/Model/Reading/TensorReader.h"
#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

namespace earshot::model {

namespace {

using tensor::Epilogue;
using tensor::Linear;
using tensor::Tensor;

constexpr float batchNormEpsilon = 1e-5f;

using ByteScales = TensorReader::ByteScales;
using Output = TensorReader::Output;

// Reads tensors by their names, in the shapes of networkTensors().
class NetworkReader {
  public:
    NetworkReader(Checkpoint& checkpoint, const std::string& prefix, const Config& config,
                  tensor::Number activations, std::int64_t& parameterCount)
        : reader_(checkpoint, prefix, activations, parameterCount) {
        for (TensorForm& form : networkTensors(config)) {
            auto name = form.name;
            forms_.emplace(std::move(name), std::move(form));
        }
    }

    bool has(const std::string& name) const { return forms_.contains(name); }
    bool fileHas(const std::string& name) const { return reader_.contains(name); }
    Tensor read(const std::string& name) {
        const TensorForm& form = forms_.at(name);
        return form.trained() ? reader_.read(name, form.shape) : reader_.readConstant(name, form.shape);
    }
    LayerNormWeights norm(const std::string& name, const ByteScales& scales = {}) {
        return reader_.norm(name, forms_.at(name + ".weight").shape.front(), scales);
    }
    Linear linear(const std::string& name, std::int64_t rows, Epilogue epilogue, Output output,
                  const ByteScales& scales = {}, const std::optional<tensor::ByteScale>& result = {}) {
        const TensorForm& weights = forms_.at(name + ".weight");
        assert(scales.empty() || weights.quantisable);
        return reader_.linear(name, rows, weights.shape.back(), weights.shape.front(), has(name + ".bias"),
                              epilogue, output, scales, result);
    }
    tensor::LinearNumbers numbers(Output output) const { return reader_.numbers(output); }
    [[noreturn]] void fail(const std::string& name, const std::string& problem) const {
        reader_.fail(name, problem);
    }

  private:
    TensorReader reader_;
    std::map<std::string, TensorForm> forms_;
};

// The byte scales of a block's layers, from measured ranges; all empty without ranges.
struct BlockScales {
    ByteScales qkv, projection, expand, contract; // of each layer's input, by column
    std::optional<tensor::ByteScale> expandResult;

    BlockScales(const BlockRanges* ranges, std::int64_t hiddenWidth) {
        if (ranges == nullptr) return;
        qkv = channelScales(ranges->qkv);
        projection.assign(qkv.size(), commonScale(ranges->projection));
        expand = channelScales(ranges->expand);
        expandResult = geluScale(ranges->contract);
        contract.assign(static_cast<std::size_t>(hiddenWidth), *expandResult);
    }
};

void readBandNorm(NetworkReader& reader, NetworkWeights& out) {
    const auto gain = reader.read("bn0.weight"), bias = reader.read("bn0.bias");
    const auto mean = reader.read("bn0.running_mean"), variance = reader.read("bn0.running_var");
    out.bandScale = Tensor(gain.shape());
    out.bandShift = Tensor(gain.shape());
    for (std::size_t band = 0; band < gain.size(); ++band) {
        const float spread = variance.data()[band];
        if (!(spread >= 0.0f))
            reader.fail("bn0.running_var", "holds a negative variance; the file is damaged");
        const float scale = gain.data()[band] / std::sqrt(spread + batchNormEpsilon);
        out.bandScale.data()[band] = scale;
        out.bandShift.data()[band] = bias.data()[band] - mean.data()[band] * scale;
    }
}

// A pass adds biases to whole rows of scores, so the table is spread out to (heads, n, padded n).
Tensor spreadPositionBias(const Tensor& table, int side, int heads) {
    const int tokens = side * side;
    const int padded = tensor::paddedTokens(tokens);
    const auto rows = positionRows(side);
    Tensor spread({heads, tokens, padded});
    for (std::int64_t head = 0; head < heads; ++head) {
        auto row = rows.begin();
        for (int query = 0; query < tokens; ++query)
            for (int key = 0; key < tokens; ++key)
                spread.data()[(head * tokens + query) * padded + key] = table.data()[*row++ * heads + head];
    }
    return spread;
}

// The table of a V2 block.
Tensor computeBiasTable(NetworkReader& reader, const BlockForm& form, const std::vector<float>& distances,
                        int heads) {
    const auto hidden = reader.read(form.biasHidden + ".weight");
    const auto bias = reader.read(form.biasHidden + ".bias");
    const auto result = reader.read(form.biasResult + ".weight");
    const auto sides = static_cast<std::int64_t>(distances.size());
    Tensor table({sides * sides, heads});
    BiasNetwork{hidden.values(), bias.values(), result.values()}.run(distances, table.values());
    return table;
}

Tensor readPositionBias(NetworkReader& reader, const Config& config, int stage, const BlockForm& form) {
    const int side = config.stageAttentionSide(stage), heads = config.heads[static_cast<std::size_t>(stage)];
    if (config.block == BlockKind::v1)
        return spreadPositionBias(reader.read(form.positionTable), side, heads);
    const auto distances = logDistances(side, config.pretrainedSide(stage));
    return spreadPositionBias(computeBiasTable(reader, form, distances, heads), side, heads);
}

// exp(min(logit_scale, log 100)) of each head; empty in V1.
Tensor readScoreScale(NetworkReader& reader, const Config& config, const BlockForm& form) {
    if (config.block == BlockKind::v1) return {};
    auto scale = reader.read(form.scoreScale);
    for (std::size_t head = 0; head < scale.size(); ++head)
        scale.data()[head] = std::exp(std::min(scale.data()[head], std::log(100.0f)));
    return scale;
}

// V2's queries, keys and values are float32 in every precision, because cosines times up to 100 would make
// much of bfloat16's rounding.
Linear readQkv(NetworkReader& reader, const Config& config, const BlockForm& form, std::int64_t rows,
               const ByteScales& scales) {
    if (config.block == BlockKind::v1)
        return reader.linear(form.qkv, rows, Epilogue::none, Output::activations, scales);
    const auto weights = reader.read(form.qkv + ".weight");
    const std::int64_t outputs = weights.shape().front(), width = weights.shape().back();
    std::vector<float> bias;
    if (config.qkvBias) {
        bias.resize(static_cast<std::size_t>(outputs));
        std::ranges::copy(reader.read(form.queryBias).values(), bias.begin());
        std::ranges::copy(reader.read(form.valueBias).values(), bias.end() - width);
    }
    return {rows, width, outputs, weights.values(), bias, Epilogue::none};
}

// rows: tokens of a pass or of a strip. mlpRows: rows of one chunk of the MLP (Mlp.h).
struct BlockRows {
    std::int64_t rows, mlpRows;
};

BlockWeights readBlock(NetworkReader& reader, const Config& config, int stage, int block, BlockRows shape,
                       const BlockRanges* ranges) {
    const BlockForm form(stage, block);
    const auto [rows, rowsAtOnce] = shape;
    const BlockScales scales(ranges, std::int64_t{config.stageDim(stage)} * config.mlpRatio);
    // In float32 and bfloat16 Mlp has a faster GELU than oneDNN's epilogue.
    const auto expandEpilogue = ranges == nullptr ? Epilogue::none : Epilogue::gelu;
    const auto lastEpilogue = config.block == BlockKind::v1 ? Epilogue::add : Epilogue::none;
    return {
        .kind = config.block,
        .norm1 = reader.norm(form.norm1, scales.qkv),
        .qkv = readQkv(reader, config, form, rows, scales.qkv),
        .positionBias = readPositionBias(reader, config, stage, form),
        .scoreScale = readScoreScale(reader, config, form),
        .attended = ranges == nullptr ? tensor::ByteScale() : scales.projection.front(),
        .projection = reader.linear(form.projection, rows, lastEpilogue, Output::float32, scales.projection),
        .norm2 = reader.norm(form.norm2, scales.expand),
        .expand = reader.linear(form.expand, rowsAtOnce, expandEpilogue, Output::activations, scales.expand,
                                scales.expandResult),
        .contract = reader.linear(form.contract, rowsAtOnce, lastEpilogue, Output::float32, scales.contract)};
}

MergingWeights readMerging(NetworkReader& reader, const Config& config, int stage, std::int64_t rows,
                           const StageRanges* ranges) {
    const MergingForm form(stage);
    const auto scales = ranges == nullptr ? ByteScales() : channelScales(ranges->merging);
    return {.kind = config.block,
            .norm = reader.norm(form.norm, scales),
            .reduction = reader.linear(form.reduction, rows, Epilogue::none, Output::float32, scales)};
}

std::vector<BlockWeights> readBlocks(NetworkReader& reader, const Config& config, int stage, BlockRows shape,
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

StageWeights readStage(NetworkReader& reader, const Config& config, int stage, const StageRanges* ranges) {
    const std::int64_t grid = config.stageGrid(stage);
    StageWeights out;
    out.blocks = readBlocks(reader, config, stage, {grid * grid, mlpRows(config, stage)}, ranges);
    if (stage + 1 < config.stageCount())
        out.merging = readMerging(reader, config, stage, grid * grid / 4, ranges);
    return out;
}

Linear readPatchProjection(NetworkReader& reader, const Config& config, std::int64_t rows) {
    const std::int64_t side = config.patchSize;
    const auto weights = reader.read("patch_embed.proj.weight"), bias = reader.read("patch_embed.proj.bias");
    return {rows, side * side, config.embedDim, weights.values(), bias.values(), Epilogue::none};
}

// The layers read no bytes: in int8 they are float32.
std::optional<FineHeadWeights> readFineHead(NetworkReader& reader, const Config& config) {
    if (config.head != HeadKind::fine) return std::nullopt;
    FineHeadWeights out{.sources = {}, .layers = {}, .norm = reader.norm(FineHeadForm::norm)};
    for (const int stage : headStages(config)) {
        const FineHeadForm::Source form(stage);
        std::optional<LayerNormWeights> norm;
        if (reader.has(form.norm + ".weight")) norm = reader.norm(form.norm);
        out.sources.push_back({std::move(norm), reader.linear(form.projection, config.gridColumns(stage),
                                                              Epilogue::none, Output::float32)});
    }
    for (int layer = 0; layer < config.headLayers; ++layer) {
        const FineHeadForm::Layer form(layer);
        out.layers.push_back({reader.norm(form.norm), reader.linear(form.convolution, config.stepsPerWindow(),
                                                                    Epilogue::add, Output::float32)});
    }
    return out;
}

Linear readHead(NetworkReader& reader, const Config& config) {
    const std::int64_t tokens = config.stepsPerWindow();
    if (config.head == HeadKind::pooled)
        return reader.linear("head", tokens + 1, Epilogue::none, Output::float32);
    if (config.head == HeadKind::fine)
        return reader.linear(FineHeadForm::classes, tokens, Epilogue::none, Output::float32);
    const auto kernel = reader.read("tscam_conv.weight"), bias = reader.read("tscam_conv.bias");
    const auto weights = EventHead::arrangeKernel(config, kernel);
    return {tokens,
            static_cast<std::int64_t>(weights.size()) / config.classes,
            config.classes,
            weights.values(),
            bias.values(),
            Epilogue::none,
            reader.numbers(Output::float32)};
}

// Reads the first stage's tensors again and packs them for the rows of one strip.
StripWeights readStrips(NetworkReader& reader, const Config& config, const StageRanges* ranges) {
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
    assert(ranges == nullptr || config.block == BlockKind::v1);
    const auto activations = precision == Precision::int8       ? tensor::Number::uint8
                             : precision == Precision::bfloat16 ? tensor::Number::bfloat16
                                                                : tensor::Number::float32;
    NetworkReader reader(checkpoint, prefix, config, activations, parameterCount);
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
                       .norm = reader.norm("norm"),
                       .fineHead = readFineHead(reader, config),
                       .head = readHead(reader, config)};
    readBandNorm(reader, out);
    if (const std::string filters = "logmel_extractor.melW"; reader.fileHas(filters)) {
        const auto read = reader.read(filters);
        out.melFilters.assign(read.values().begin(), read.values().end());
    }
    if (config.patchNorm) out.patchNorm = reader.norm("patch_embed.norm");
    if (config.absolutePositionEmbedding) out.absolutePosition = reader.read("absolute_pos_embed");
    for (int stage = 0; stage < config.stageCount(); ++stage)
        out.stages.push_back(
            readStage(reader, config, stage,
                      ranges == nullptr ? nullptr : &(*ranges)[static_cast<std::size_t>(stage)]));
    if (StripStage::fits(config)) {
        std::int64_t alreadyCounted = 0;
        NetworkReader again(checkpoint, prefix, config, activations, alreadyCounted);
        out.strips = readStrips(again, config, ranges == nullptr ? nullptr : &ranges->front());
    }
    return out;
}

} // namespace earshot::model
