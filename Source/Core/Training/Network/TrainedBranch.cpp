#include "Core/Training/Network/TrainedBranch.h"

#include "Core/Model/Network/NetworkWeights.h"

#include <algorithm>

namespace earshot::training {

using tensor::BFloat16;
using tensor::kernels;

namespace {

constexpr float epsilon = model::LayerNormWeights::epsilon;

} // namespace

template <typename Value>
TrainingScratch<Value>::TrainingScratch(const model::Config& config, int samples) {
    // The first stage has the most values: each later one has half as many.
    const auto grid = static_cast<std::size_t>(config.stageGrid(0));
    const auto values =
        static_cast<std::size_t>(samples) * grid * grid * static_cast<std::size_t>(config.embedDim);
    narrow.resize(values);
    normed.resize(values);
    wide.resize(values * static_cast<std::size_t>(std::max(config.mlpRatio, 3)));
    if (config.block == model::BlockKind::v2) exact.resize(values);
    std::size_t floats = 0;
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        const int side = config.stageAttentionSide(stage);
        const int headDim = config.stageDim(stage) / config.heads[static_cast<std::size_t>(stage)];
        floats = std::max(floats, tensor::attentionScratch(side * side, headDim));
    }
    attention.resize(floats);
}

template <typename Value>
TrainedBranch<Value>::TrainedBranch(const ParameterLayout& parameters, int stage, const std::string& norm,
                                    const std::int32_t* rows, const StageGeometry& geometry,
                                    TrainingScratch<Value>& scratch)
    : gain_(parameters.find(norm + ".weight"))
    , shift_(parameters.find(norm + ".bias"))
    , rows_(rows)
    , geometry_(geometry)
    , scratch_(scratch)
    , channels_(parameters.config().stageDim(stage)) {
    const auto tokens = static_cast<std::size_t>(geometry.tokens());
    inputs_.resize(tokens * static_cast<std::size_t>(channels_));
    statistics_.resize(2 * tokens);
    if (parameters.config().block == model::BlockKind::v2) results_.resize(inputs_.size());
}

template <typename Value>
const std::int32_t* TrainedBranch<Value>::rowsOf(int sample) const {
    return rows_ == nullptr ? nullptr : rows_ + sample * geometry_.tokensPerSample();
}

template <typename Value>
std::int64_t TrainedBranch<Value>::firstOf(int sample) const {
    return rows_ == nullptr ? sample * geometry_.tokensPerSample() * channels_ : 0;
}

template <typename Value>
void TrainedBranch<Value>::read(const float* stream) {
    stream_ = stream;
    const auto tokens = geometry_.tokens();
    if (isV1())
        kernels<Value>().layerNorm(stream, rows_, inputs_.data(), statistics_.data(), tokens, channels_,
                                   exact_ + gain_.offset, exact_ + shift_.offset, epsilon);
    else
        kernels<Value>().gather(stream, rows_, inputs_.data(), 1.0f, tokens, channels_);
}

template <typename Value>
void* TrainedBranch<Value>::results() {
    if (isV1()) return scratch_.narrow.data();
    return results_.data();
}

template <typename Value>
void TrainedBranch<Value>::add(float* output, std::span<const float> scales) {
    const auto& loops = kernels<Value>();
    const auto tokens = geometry_.tokens(), perSample = geometry_.tokensPerSample();
    scales_ = scales;
    if (!isV1())
        loops.layerNorm(results_.data(), nullptr, scratch_.narrow.data(), statistics_.data(), tokens,
                        channels_, exact_ + gain_.offset, exact_ + shift_.offset, epsilon);
    std::copy_n(stream_, tokens * channels_, output);
    for (int sample = 0; sample < geometry_.samples(); ++sample)
        loops.scatterAdd(output + firstOf(sample), rowsOf(sample),
                         scratch_.narrow.data() + sample * perSample * channels_,
                         scales[static_cast<std::size_t>(sample)], perSample, channels_);
}

template <typename Value>
const Value* TrainedBranch<Value>::resultGradient(const float* stream, float* gradients) {
    const auto& loops = kernels<Value>();
    const auto tokens = geometry_.tokens(), perSample = geometry_.tokensPerSample();
    Value* const branch = scratch_.narrow.data();
    for (int sample = 0; sample < geometry_.samples(); ++sample)
        loops.gather(stream + firstOf(sample), rowsOf(sample), branch + sample * perSample * channels_,
                     scales_[static_cast<std::size_t>(sample)], perSample, channels_);
    if (!isV1()) {
        float* const exact = scratch_.exact.data();
        std::fill_n(exact, tokens * channels_, 0.0f);
        loops.layerNormBackward(results_.data(), nullptr, statistics_.data(), branch, exact, tokens,
                                channels_, exact_ + gain_.offset, gradients + gain_.offset,
                                gradients + shift_.offset);
        loops.gather(exact, nullptr, branch, 1.0f, tokens, channels_);
    }
    return branch;
}

template <typename Value>
void TrainedBranch<Value>::addInputGradient(const Value* inputGradient, float* stream, float* gradients) {
    const auto tokens = geometry_.tokens();
    if (isV1())
        kernels<Value>().layerNormBackward(stream_, rows_, statistics_.data(), inputGradient, stream, tokens,
                                           channels_, exact_ + gain_.offset, gradients + gain_.offset,
                                           gradients + shift_.offset);
    else
        kernels<Value>().scatterAdd(stream, rows_, inputGradient, 1.0f, tokens, channels_);
}

template struct TrainingScratch<float>;
template struct TrainingScratch<BFloat16>;
template class TrainedBranch<float>;
template class TrainedBranch<BFloat16>;

} // namespace earshot::training
