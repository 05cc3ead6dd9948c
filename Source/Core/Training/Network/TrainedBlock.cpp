#include "Core/Training/Network/TrainedBlock.h"

#include "Core/Model/Network/NetworkWeights.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace earshot::training {

using tensor::BFloat16;
using tensor::kernels;

namespace {

constexpr float epsilon = model::LayerNormWeights::epsilon;

float scoreScale(int headDim) { return 1.0f / std::sqrt(static_cast<float>(headDim)); }

} // namespace

template <typename Value>
BlockLayers<Value>::BlockLayers(const model::Config& config, int stage, std::int64_t tokens)
    : qkv(tokens, config.stageDim(stage), 3 * config.stageDim(stage), config.qkvBias)
    , projection(tokens, config.stageDim(stage), config.stageDim(stage), true)
    , expand(tokens, config.stageDim(stage), config.mlpRatio * config.stageDim(stage), true)
    , contract(tokens, config.mlpRatio * config.stageDim(stage), config.stageDim(stage), true) {}

template <typename Value>
TrainingScratch<Value>::TrainingScratch(const model::Config& config, int samples) {
    // The first stage has the most values: each later one has half as many.
    const auto grid = static_cast<std::size_t>(config.stageGrid(0));
    const auto values =
        static_cast<std::size_t>(samples) * grid * grid * static_cast<std::size_t>(config.embedDim);
    narrow.resize(values);
    normed.resize(values);
    wide.resize(values * static_cast<std::size_t>(std::max(config.mlpRatio, 3)));
    std::size_t floats = 0;
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        const int side = config.stageAttentionSide(stage);
        const int headDim = config.stageDim(stage) / config.heads[static_cast<std::size_t>(stage)];
        floats = std::max(floats, tensor::attentionScratch(side * side, headDim));
    }
    attention.resize(floats);
}

template <typename Value>
TrainedBlock<Value>::Offsets::Offsets(const ParameterLayout& parameters, const model::BlockForm& form)
    : gain1(parameters.find(form.norm1 + ".weight"))
    , shift1(parameters.find(form.norm1 + ".bias"))
    , qkv(parameters.find(form.qkv + ".weight"))
    , table(parameters.find(form.positionTable))
    , projection(parameters.find(form.projection + ".weight"))
    , projectionBias(parameters.find(form.projection + ".bias"))
    , gain2(parameters.find(form.norm2 + ".weight"))
    , shift2(parameters.find(form.norm2 + ".bias"))
    , expand(parameters.find(form.expand + ".weight"))
    , expandBias(parameters.find(form.expand + ".bias"))
    , contract(parameters.find(form.contract + ".weight"))
    , contractBias(parameters.find(form.contract + ".bias"))
    , qkvBias(parameters.config().qkvBias ? &parameters.find(form.qkv + ".bias") : nullptr) {}

template <typename Value>
TrainedBlock<Value>::TrainedBlock(const ParameterLayout& parameters, int stage, int index,
                                  const StageGeometry& geometry, BlockLayers<Value>& layers,
                                  TrainingScratch<Value>& scratch)
    : offsets_(parameters, model::BlockForm(stage, index))
    , geometry_(geometry)
    , layers_(layers)
    , scratch_(scratch)
    , index_(index)
    , channels_(parameters.config().stageDim(stage))
    , heads_(parameters.config().heads[static_cast<std::size_t>(stage)])
    , hidden_(parameters.config().mlpRatio * channels_)
    , scoreScale_(scoreScale(channels_ / heads_)) {
    const int side = geometry.attentionSide();
    const int n = side * side;
    for (int query = 0; query < n; ++query)
        for (int key = 0; key < n; ++key) {
            const int rowDistance = query / side - key / side + side - 1;
            const int columnDistance = query % side - key % side + side - 1;
            tableEntries_.push_back(rowDistance * (2 * side - 1) + columnDistance);
        }
    positionBias_.resize(tableEntries_.size() * static_cast<std::size_t>(heads_));
    positionGradient_.resize(positionBias_.size());

    const auto tokens = static_cast<std::size_t>(geometry.tokens());
    const auto narrow = tokens * static_cast<std::size_t>(channels_);
    const auto wide = tokens * static_cast<std::size_t>(hidden_);
    middle_.resize(narrow);
    statistics1_.resize(2 * tokens);
    statistics2_.resize(2 * tokens);
    normed1_.resize(narrow);
    qkv_.resize(3 * narrow);
    attended_.resize(narrow);
    normed2_.resize(narrow);
    beforeGelu_.resize(wide);
    afterGelu_.resize(wide);
}

template <typename Value>
void TrainedBlock<Value>::setParameters(const ParameterValues<Value>& values) {
    values_ = values;
    const float* table = exact(offsets_.table); // (positions, heads)
    for (std::size_t head = 0; head < static_cast<std::size_t>(heads_); ++head)
        for (std::size_t pair = 0; pair < tableEntries_.size(); ++pair)
            positionBias_[head * tableEntries_.size() + pair] =
                table[static_cast<std::size_t>(tableEntries_[pair] * heads_) + head];
}

template <typename Value>
int TrainedBlock<Value>::attentionWindows() const {
    return geometry_.samples() * geometry_.layout(index_).count();
}

template <typename Value>
std::ptrdiff_t TrainedBlock<Value>::firstRow(int index) const {
    return static_cast<std::ptrdiff_t>(index) * geometry_.layout(index_).tokens();
}

template <typename Value>
void TrainedBlock<Value>::describe(int index, tensor::AttentionInput<Value>& input) {
    const auto& layout = geometry_.layout(index_);
    input.qkv = qkv_.data() + firstRow(index) * 3 * channels_;
    input.bias = positionBias_.data();
    input.mask = layout.mask(index % layout.count());
    input.scratch = scratch_.attention.data();
    input.tokens = layout.tokens();
    input.channels = channels_;
    input.heads = heads_;
    input.scale = scoreScale_;
}

template <typename Value>
void TrainedBlock<Value>::attend() {
    for (int index = 0; index < attentionWindows(); ++index) {
        tensor::AttentionTask<Value> task;
        describe(index, task);
        task.output = attended_.data() + firstRow(index) * channels_;
        kernels<Value>().attend(task);
    }
}

template <typename Value>
void TrainedBlock<Value>::forward(const float* input, float* output, const BranchScales& scales) {
    const auto& loops = kernels<Value>();
    const auto tokens = geometry_.tokens();
    const auto perSample = geometry_.tokensPerSample();
    const std::int32_t* rows = geometry_.rows(index_);
    input_ = input;
    scales_ = scales;

    loops.layerNorm(input, rows, normed1_.data(), statistics1_.data(), tokens, channels_,
                    exact(offsets_.gain1), exact(offsets_.shift1), epsilon);
    layers_.qkv.forward(normed1_.data(), rounded(offsets_.qkv),
                        offsets_.qkvBias != nullptr ? exact(*offsets_.qkvBias) : nullptr, qkv_.data());
    attend();
    layers_.projection.forward(attended_.data(), rounded(offsets_.projection), exact(offsets_.projectionBias),
                               scratch_.narrow.data());
    std::copy_n(input, tokens * channels_, middle_.data());
    for (int sample = 0; sample < geometry_.samples(); ++sample)
        loops.scatterAdd(middle_.data(), rows + sample * perSample,
                         scratch_.narrow.data() + sample * perSample * channels_,
                         scales.attention[static_cast<std::size_t>(sample)], perSample, channels_);

    loops.layerNorm(middle_.data(), nullptr, normed2_.data(), statistics2_.data(), tokens, channels_,
                    exact(offsets_.gain2), exact(offsets_.shift2), epsilon);
    layers_.expand.forward(normed2_.data(), rounded(offsets_.expand), exact(offsets_.expandBias),
                           beforeGelu_.data());
    loops.gelu(beforeGelu_.data(), afterGelu_.data(), tokens * hidden_);
    layers_.contract.forward(afterGelu_.data(), rounded(offsets_.contract), exact(offsets_.contractBias),
                             scratch_.narrow.data());
    std::copy_n(middle_.data(), tokens * channels_, output);
    for (int sample = 0; sample < geometry_.samples(); ++sample) {
        const auto first = sample * perSample * channels_;
        loops.scatterAdd(output + first, nullptr, scratch_.narrow.data() + first,
                         scales.mlp[static_cast<std::size_t>(sample)], perSample, channels_);
    }
}

template <typename Value>
void TrainedBlock<Value>::attendBackward(const Value* outputGradient, Value* qkvGradient) {
    for (int index = 0; index < attentionWindows(); ++index) {
        tensor::AttentionGradientTask<Value> task;
        describe(index, task);
        task.outputGradient = outputGradient + firstRow(index) * channels_;
        task.qkvGradient = qkvGradient + firstRow(index) * 3 * channels_;
        task.biasGradient = positionGradient_.data();
        kernels<Value>().attendBackward(task);
    }
}

template <typename Value>
void TrainedBlock<Value>::foldPositionGradient(float* tableGradient) {
    for (std::size_t head = 0; head < static_cast<std::size_t>(heads_); ++head)
        for (std::size_t pair = 0; pair < tableEntries_.size(); ++pair)
            tableGradient[static_cast<std::size_t>(tableEntries_[pair] * heads_) + head] +=
                positionGradient_[head * tableEntries_.size() + pair];
}

template <typename Value>
void TrainedBlock<Value>::backwardMlp(float* stream, float* gradients) {
    const auto& loops = kernels<Value>();
    const auto tokens = geometry_.tokens();
    const auto perSample = geometry_.tokensPerSample();
    Value* branch = scratch_.narrow.data(); // gradient of contract's result
    Value* wide = scratch_.wide.data();     // gradient around the GELU
    Value* normed = scratch_.normed.data(); // gradient of norm2's result
    for (int sample = 0; sample < geometry_.samples(); ++sample) {
        const auto first = sample * perSample * channels_;
        loops.gather(stream + first, nullptr, branch + first, scales_.mlp[static_cast<std::size_t>(sample)],
                     perSample, channels_);
    }
    layers_.contract.parameterGradients(afterGelu_.data(), branch, gradients + offsets_.contract.offset,
                                        gradients + offsets_.contractBias.offset);
    layers_.contract.inputGradient(branch, rounded(offsets_.contract), wide);
    loops.geluBackward(beforeGelu_.data(), wide, tokens * hidden_);
    layers_.expand.parameterGradients(normed2_.data(), wide, gradients + offsets_.expand.offset,
                                      gradients + offsets_.expandBias.offset);
    layers_.expand.inputGradient(wide, rounded(offsets_.expand), normed);
    loops.layerNormBackward(middle_.data(), nullptr, statistics2_.data(), normed, stream, tokens, channels_,
                            exact(offsets_.gain2), gradients + offsets_.gain2.offset,
                            gradients + offsets_.shift2.offset);
}

template <typename Value>
void TrainedBlock<Value>::backwardAttention(float* stream, float* gradients) {
    const auto& loops = kernels<Value>();
    const auto tokens = geometry_.tokens();
    const auto perSample = geometry_.tokensPerSample();
    const std::int32_t* rows = geometry_.rows(index_);
    Value* branch = scratch_.narrow.data(); // gradient of the projection's result, attention order
    Value* normed = scratch_.normed.data(); // gradient of the projection's input, later of norm1's result
    Value* wide = scratch_.wide.data();     // gradient of queries, keys and values
    for (int sample = 0; sample < geometry_.samples(); ++sample)
        loops.gather(stream, rows + sample * perSample, branch + sample * perSample * channels_,
                     scales_.attention[static_cast<std::size_t>(sample)], perSample, channels_);
    layers_.projection.parameterGradients(attended_.data(), branch, gradients + offsets_.projection.offset,
                                          gradients + offsets_.projectionBias.offset);
    layers_.projection.inputGradient(branch, rounded(offsets_.projection), normed);
    std::fill(positionGradient_.begin(), positionGradient_.end(), 0.0f);
    attendBackward(normed, wide);
    foldPositionGradient(gradients + offsets_.table.offset);
    layers_.qkv.parameterGradients(normed1_.data(), wide, gradients + offsets_.qkv.offset,
                                   offsets_.qkvBias != nullptr ? gradients + offsets_.qkvBias->offset
                                                               : nullptr);
    layers_.qkv.inputGradient(wide, rounded(offsets_.qkv), normed);
    loops.layerNormBackward(input_, rows, statistics1_.data(), normed, stream, tokens, channels_,
                            exact(offsets_.gain1), gradients + offsets_.gain1.offset,
                            gradients + offsets_.shift1.offset);
}

template <typename Value>
void TrainedBlock<Value>::backward(float* stream, std::span<float> gradients) {
    backwardMlp(stream, gradients.data());
    backwardAttention(stream, gradients.data());
}

template struct BlockLayers<float>;
template struct BlockLayers<BFloat16>;
template struct TrainingScratch<float>;
template struct TrainingScratch<BFloat16>;
template class TrainedBlock<float>;
template class TrainedBlock<BFloat16>;

} // namespace earshot::training
