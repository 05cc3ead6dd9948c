#include "Core/Training/Network/TrainedBlock.h"

#include <algorithm>

namespace earshot::training {

using tensor::BFloat16;
using tensor::kernels;

template <typename Value>
BlockLayers<Value>::BlockLayers(const model::Config& config, int stage, std::int64_t tokens)
    : qkv(tokens, config.stageDim(stage), 3 * config.stageDim(stage), config.qkvBias)
    , projection(tokens, config.stageDim(stage), config.stageDim(stage), true, branchResult<Value>(config))
    , expand(tokens, config.stageDim(stage), config.mlpRatio * config.stageDim(stage), true)
    , contract(tokens, config.mlpRatio * config.stageDim(stage), config.stageDim(stage), true,
               branchResult<Value>(config)) {}

template <typename Value>
TrainedBlock<Value>::Offsets::Offsets(const ParameterLayout& parameters, const model::BlockForm& form)
    : qkv(parameters.find(form.qkv + ".weight"))
    , projection(parameters.find(form.projection + ".weight"))
    , projectionBias(parameters.find(form.projection + ".bias"))
    , expand(parameters.find(form.expand + ".weight"))
    , expandBias(parameters.find(form.expand + ".bias"))
    , contract(parameters.find(form.contract + ".weight"))
    , contractBias(parameters.find(form.contract + ".bias")) {}

template <typename Value>
TrainedBlock<Value>::BiasOffsets::BiasOffsets(const ParameterLayout& parameters,
                                              const model::BlockForm& form) {
    if (!parameters.config().qkvBias) return;
    if (parameters.config().block == model::BlockKind::v1) {
        qkv = &parameters.find(form.qkv + ".bias");
    } else {
        queries = &parameters.find(form.queryBias);
        values = &parameters.find(form.valueBias);
    }
}

template <typename Value>
TrainedBlock<Value>::TrainedBlock(const ParameterLayout& parameters, int stage, int index,
                                  const StageGeometry& geometry, BlockLayers<Value>& layers,
                                  TrainingScratch<Value>& scratch)
    : offsets_(parameters, model::BlockForm(stage, index))
    , biases_(parameters, model::BlockForm(stage, index))
    , geometry_(geometry)
    , layers_(layers)
    , scratch_(scratch)
    , index_(index)
    , channels_(parameters.config().stageDim(stage))
    , heads_(parameters.config().heads[static_cast<std::size_t>(stage)])
    , hidden_(parameters.config().mlpRatio * channels_)
    , positionBias_(parameters, stage, index)
    , scores_(parameters, stage, index, geometry.tokens())
    , attention_(parameters, stage, model::BlockForm(stage, index).norm1, geometry.rows(index), geometry,
                 scratch)
    , mlp_(parameters, stage, model::BlockForm(stage, index).norm2, nullptr, geometry, scratch) {
    const auto tokens = static_cast<std::size_t>(geometry.tokens());
    const auto narrow = tokens * static_cast<std::size_t>(channels_);
    const auto wide = tokens * static_cast<std::size_t>(hidden_);
    middle_.resize(narrow);
    qkv_.resize(3 * narrow);
    attended_.resize(narrow);
    beforeGelu_.resize(wide);
    afterGelu_.resize(wide);
    if (biases_.queries != nullptr) {
        qkvBias_.resize(3 * static_cast<std::size_t>(channels_));
        qkvBiasGradient_.resize(qkvBias_.size());
    }
}

template <typename Value>
void TrainedBlock<Value>::setParameters(const ParameterValues<Value>& values) {
    values_ = values;
    positionBias_.setParameters(values.exact);
    scores_.setParameters(values.exact);
    attention_.setParameters(values.exact);
    mlp_.setParameters(values.exact);
    if (biases_.queries == nullptr) return;
    std::copy_n(exact(*biases_.queries), channels_, qkvBias_.begin());
    std::copy_n(exact(*biases_.values), channels_, qkvBias_.end() - channels_);
}

template <typename Value>
const float* TrainedBlock<Value>::qkvBias() const {
    if (biases_.queries != nullptr) return qkvBias_.data();
    return biases_.qkv != nullptr ? exact(*biases_.qkv) : nullptr;
}

template <typename Value>
void TrainedBlock<Value>::qkvGradients(const Value* qkvGradient, float* gradients) {
    float* bias = biases_.qkv != nullptr ? gradients + biases_.qkv->offset : nullptr;
    if (biases_.queries != nullptr) {
        std::ranges::fill(qkvBiasGradient_, 0.0f);
        bias = qkvBiasGradient_.data();
    }
    layers_.qkv.parameterGradients(attention_.inputs(), qkvGradient, gradients + offsets_.qkv.offset, bias);
    if (biases_.queries == nullptr) return;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels_); ++c) {
        gradients[biases_.queries->offset + c] += bias[c];
        gradients[biases_.values->offset + c] += bias[2 * static_cast<std::size_t>(channels_) + c];
    }
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
    input.bias = positionBias_.biases();
    input.mask = layout.mask(index % layout.count());
    input.scratch = scratch_.attention.data();
    input.tokens = layout.tokens();
    input.channels = channels_;
    input.heads = heads_;
    input.scale = scores_.scale();
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
    attention_.read(input);
    layers_.qkv.forward(attention_.inputs(), rounded(offsets_.qkv), qkvBias(), qkv_.data());
    scores_.prepare(qkv_.data());
    attend();
    layers_.projection.forward(attended_.data(), rounded(offsets_.projection), exact(offsets_.projectionBias),
                               attention_.results());
    attention_.add(middle_.data(), scales.attention);

    mlp_.read(middle_.data());
    layers_.expand.forward(mlp_.inputs(), rounded(offsets_.expand), exact(offsets_.expandBias),
                           beforeGelu_.data());
    kernels<Value>().gelu(beforeGelu_.data(), afterGelu_.data(), geometry_.tokens() * hidden_);
    layers_.contract.forward(afterGelu_.data(), rounded(offsets_.contract), exact(offsets_.contractBias),
                             mlp_.results());
    mlp_.add(output, scales.mlp);
}

template <typename Value>
void TrainedBlock<Value>::attendBackward(const Value* outputGradient, Value* qkvGradient) {
    float* const biasGradient = positionBias_.clearedGradient();
    for (int index = 0; index < attentionWindows(); ++index) {
        tensor::AttentionGradientTask<Value> task;
        describe(index, task);
        task.outputGradient = outputGradient + firstRow(index) * channels_;
        task.qkvGradient = qkvGradient + firstRow(index) * 3 * channels_;
        task.biasGradient = biasGradient;
        kernels<Value>().attendBackward(task);
    }
}

template <typename Value>
void TrainedBlock<Value>::backwardMlp(float* stream, float* gradients) {
    Value* wide = scratch_.wide.data();     // gradient around the GELU
    Value* inputs = scratch_.normed.data(); // gradient of expand's input
    const Value* branch = mlp_.resultGradient(stream, gradients);
    layers_.contract.parameterGradients(afterGelu_.data(), branch, gradients + offsets_.contract.offset,
                                        gradients + offsets_.contractBias.offset);
    layers_.contract.inputGradient(branch, rounded(offsets_.contract), wide);
    kernels<Value>().geluBackward(beforeGelu_.data(), wide, geometry_.tokens() * hidden_);
    layers_.expand.parameterGradients(mlp_.inputs(), wide, gradients + offsets_.expand.offset,
                                      gradients + offsets_.expandBias.offset);
    layers_.expand.inputGradient(wide, rounded(offsets_.expand), inputs);
    mlp_.addInputGradient(inputs, stream, gradients);
}

template <typename Value>
void TrainedBlock<Value>::backwardAttention(float* stream, float* gradients) {
    Value* inputs = scratch_.normed.data(); // gradient of the projection's input, later of qkv's
    Value* wide = scratch_.wide.data();     // gradient of queries, keys and values
    const Value* branch = attention_.resultGradient(stream, gradients);
    layers_.projection.parameterGradients(attended_.data(), branch, gradients + offsets_.projection.offset,
                                          gradients + offsets_.projectionBias.offset);
    layers_.projection.inputGradient(branch, rounded(offsets_.projection), inputs);
    attendBackward(inputs, wide);
    positionBias_.backward(gradients);
    scores_.backward(qkv_.data(), wide, gradients);
    qkvGradients(wide, gradients);
    layers_.qkv.inputGradient(wide, rounded(offsets_.qkv), inputs);
    attention_.addInputGradient(inputs, stream, gradients);
}

template <typename Value>
void TrainedBlock<Value>::backward(float* stream, std::span<float> gradients) {
    backwardMlp(stream, gradients.data());
    backwardAttention(stream, gradients.data());
}

template struct BlockLayers<float>;
template struct BlockLayers<BFloat16>;
template class TrainedBlock<float>;
template class TrainedBlock<BFloat16>;

} // namespace earshot::training
