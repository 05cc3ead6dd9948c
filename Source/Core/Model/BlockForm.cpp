#include "Core/Model/BlockForm.h"

#include "Core/Model/Network/EventHead.h"
#include "Core/Model/Network/FineHead.h"

#include <cmath>
#include <iterator>

namespace earshot::model {

namespace {

// Collects the tensors of one stage in the order in which they are added.
class Inventory {
  public:
    explicit Inventory(int stage, bool quantisable = false)
        : stage_(stage)
        , quantisable_(quantisable) {}

    TensorForm& add(const std::string& name, tensor::Shape shape, TensorRole role, float start = 0.0f) {
        tensors.push_back({.name = name,
                           .shape = std::move(shape),
                           .role = role,
                           .stage = stage_,
                           .quantisable = quantisable_ && role == TensorRole::matrix,
                           .isDrawn = role == TensorRole::matrix || role == TensorRole::table,
                           .start = start});
        return tensors.back();
    }
    void norm(const std::string& name, std::int64_t channels, float gain = 1.0f) {
        add(name + ".weight", {channels}, TensorRole::gain, gain);
        add(name + ".bias", {channels}, TensorRole::shift);
    }
    // A linear layer or a convolution.
    void layer(const std::string& name, const tensor::Shape& shape, bool bias) {
        add(name + ".weight", shape, TensorRole::matrix);
        if (bias) add(name + ".bias", {shape.front()}, TensorRole::bias);
    }

    std::vector<TensorForm> tensors;

  private:
    int stage_;
    bool quantisable_;
};

std::string layerName(int stage) { return "layers." + std::to_string(stage); }

} // namespace

bool TensorForm::ofHead() const { return ofClasses() || name.starts_with("fine_head."); }

bool TensorForm::ofClasses() const {
    return name.starts_with("tscam_conv.") || name.starts_with("head.") ||
           name.starts_with(FineHeadForm::classes);
}

BlockForm::BlockForm(int stage, int index) {
    const auto name = layerName(stage) + ".blocks." + std::to_string(index);
    norm1 = name + ".norm1";
    qkv = name + ".attn.qkv";
    positionTable = name + ".attn.relative_position_bias_table";
    projection = name + ".attn.proj";
    norm2 = name + ".norm2";
    expand = name + ".mlp.fc1";
    contract = name + ".mlp.fc2";
    queryBias = name + ".attn.q_bias";
    valueBias = name + ".attn.v_bias";
    scoreScale = name + ".attn.logit_scale";
    biasHidden = name + ".attn.cpb_mlp.0";
    biasResult = name + ".attn.cpb_mlp.2";
    distances = name + ".attn.relative_coords_table";
}

std::vector<TensorForm> blockTensors(const Config& config, int stage, int index) {
    const BlockForm form(stage, index);
    const std::int64_t width = config.stageDim(stage), hidden = width * config.mlpRatio;
    const std::int64_t heads = config.heads[static_cast<std::size_t>(stage)];
    Inventory block(stage, config.block == BlockKind::v1);
    // V2's blocks begin as the identity (Liu et al. 2022, section 3.2).
    const float gain = config.block == BlockKind::v1 ? 1.0f : 0.0f;
    block.norm(form.norm1, width, gain);
    if (config.block == BlockKind::v1) {
        // relative positions along a side of the attention window
        const std::int64_t distances = 2 * config.stageAttentionSide(stage) - 1;
        block.add(form.positionTable, {distances * distances, heads}, TensorRole::table);
        block.layer(form.qkv, {3 * width, width}, config.qkvBias);
    } else {
        block.add(form.scoreScale, {heads, 1, 1}, TensorRole::scoring, std::log(10.0f));
        if (config.qkvBias) {
            block.add(form.queryBias, {width}, TensorRole::bias);
            block.add(form.valueBias, {width}, TensorRole::bias);
        }
        block.add(form.biasHidden + ".weight", {BlockForm::biasWidth, 2}, TensorRole::scoring).isDrawn = true;
        block.add(form.biasHidden + ".bias", {BlockForm::biasWidth}, TensorRole::scoring);
        block.add(form.biasResult + ".weight", {heads, BlockForm::biasWidth}, TensorRole::scoring).isDrawn =
            true;
        block.layer(form.qkv, {3 * width, width}, false);
    }
    block.layer(form.projection, {width, width}, true);
    block.norm(form.norm2, width, gain);
    block.layer(form.expand, {hidden, width}, true);
    block.layer(form.contract, {width, hidden}, true);
    return block.tensors;
}

MergingForm::MergingForm(int stage)
    : norm(layerName(stage) + ".downsample.norm")
    , reduction(layerName(stage) + ".downsample.reduction") {}

std::vector<TensorForm> mergingTensors(const Config& config, int stage) {
    const MergingForm form(stage);
    const std::int64_t width = config.stageDim(stage);
    Inventory merging(stage, config.block == BlockKind::v1);
    merging.layer(form.reduction, {2 * width, 4 * width}, false);
    merging.norm(form.norm, (config.block == BlockKind::v1 ? 4 : 2) * width);
    return merging.tensors;
}

FineHeadForm::Source::Source(int stage)
    : norm("fine_head.stage" + std::to_string(stage) + ".norm")
    , projection("fine_head.stage" + std::to_string(stage) + ".proj") {}

FineHeadForm::Layer::Layer(int index)
    : norm("fine_head.mix" + std::to_string(index) + ".norm")
    , convolution("fine_head.mix" + std::to_string(index) + ".conv") {}

std::vector<TensorForm> fineHeadTensors(const Config& config) {
    const std::int64_t width = config.headWidth;
    Inventory head(config.stageCount());
    for (const int stage : headStages(config)) {
        const FineHeadForm::Source form(stage);
        const bool isLast = stage + 1 == config.stageCount();
        if (!isLast) head.norm(form.norm, config.stageDim(stage));
        head.layer(form.projection,
                   {width, std::int64_t{frequencyRows(config, stage)} * config.stageDim(stage)}, isLast);
    }
    for (int index = 0; index < config.headLayers; ++index) {
        const FineHeadForm::Layer form(index);
        head.norm(form.norm, width);
        head.layer(form.convolution, {width, FineHead::kernelWidth * width}, true);
    }
    head.norm(FineHeadForm::norm, width);
    head.layer(FineHeadForm::classes, {config.classes, width}, true);
    return head.tensors;
}

std::vector<TensorForm> networkTensors(const Config& config) {
    const std::int64_t bands = config.melBands, width = config.embedDim, side = config.patchSize;
    Inventory first(-1);
    first.add("logmel_extractor.melW", {config.fftSize / 2 + 1, bands}, TensorRole::statistic).optional =
        true;
    first.add("bn0.running_mean", {bands}, TensorRole::statistic);
    first.add("bn0.running_var", {bands}, TensorRole::statistic);
    first.norm("bn0", bands);
    first.layer("patch_embed.proj", {width, 1, side, side}, true);
    if (config.patchNorm) first.norm("patch_embed.norm", width);
    if (config.absolutePositionEmbedding) {
        const std::int64_t grid = config.stageGrid(0);
        first.add("absolute_pos_embed", {1, grid * grid, width}, TensorRole::table);
    }
    auto all = std::move(first.tensors);
    const auto append = [&all](std::vector<TensorForm> tensors) {
        all.insert(all.end(), std::move_iterator(tensors.begin()), std::move_iterator(tensors.end()));
    };
    const int stages = config.stageCount();
    for (int stage = 0; stage < stages; ++stage) {
        for (int block = 0; block < config.depths[static_cast<std::size_t>(stage)]; ++block)
            append(blockTensors(config, stage, block));
        if (stage + 1 < stages) append(mergingTensors(config, stage));
    }
    Inventory last(stages);
    const std::int64_t latent = config.latentDim();
    last.norm("norm", latent);
    if (config.head == HeadKind::tscam)
        last.layer("tscam_conv",
                   {config.classes, latent, frequencyRows(config, stages - 1), EventHead::kernelWidth}, true);
    else if (config.head == HeadKind::pooled)
        last.layer("head", {config.classes, latent}, true);
    append(std::move(last.tensors));
    if (config.head == HeadKind::fine) append(fineHeadTensors(config));
    return all;
}

} // namespace earshot::model
