#include "Core/Training/Network/TrainedEventHead.h"

#include "Core/Model/Network/EventHead.h"

#include <algorithm>

namespace earshot::training {

using model::EventHead;
using tensor::kernels;

namespace {

std::vector<std::int32_t> neighbours(const model::Config& config, int samples) {
    const int last = config.stageCount() - 1, grid = config.stageGrid(last);
    const int steps = config.stepsPerWindow();
    std::vector<std::int32_t> sources;
    for (int sample = 0; sample < samples; ++sample)
        for (int time = 0; time < steps; ++time)
            for (int row = 0; row < model::frequencyRows(config, last); ++row)
                for (int tap = 0; tap < EventHead::kernelWidth; ++tap) {
                    const int at = time + tap - EventHead::kernelWidth / 2;
                    const bool inside = at >= 0 && at < steps;
                    sources.push_back(inside ? sample * grid * grid + model::tokenIndex(config, last, at, row)
                                             : -1);
                }
    return sources;
}

} // namespace

template <typename Value>
TrainedEventHead<Value>::TrainedEventHead(const ParameterLayout& parameters, int samples)
    : config_(parameters.config())
    , last_(config_.stageCount() - 1)
    , positions_(model::frequencyRows(config_, last_) * EventHead::kernelWidth)
    , rows_(static_cast<std::int64_t>(samples) * config_.stepsPerWindow())
    , kernel_(parameters.find("tscam_conv.weight"))
    , bias_(parameters.find("tscam_conv.bias"))
    , layer_(rows_, static_cast<std::int64_t>(positions_) * config_.latentDim(), config_.classes, true,
             tensor::Number::float32)
    , sources_(neighbours(config_, samples)) {
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    const auto classes = static_cast<std::size_t>(config_.classes);
    arranged_.resize(classes * static_cast<std::size_t>(positions_) * channels);
    arrangedGradient_.resize(arranged_.size());
    inputs_.resize(sources_.size() * channels);
    inputGradient_.resize(inputs_.size());
    logitGradient_.resize(static_cast<std::size_t>(rows_) * classes);
}

template <typename Value>
std::size_t TrainedEventHead<Value>::stored(int classIndex, int position, int channel) const {
    const auto row = static_cast<std::size_t>(classIndex) * static_cast<std::size_t>(config_.latentDim());
    return kernel_.offset + (row + static_cast<std::size_t>(channel)) * static_cast<std::size_t>(positions_) +
           static_cast<std::size_t>(position);
}

template <typename Value>
void TrainedEventHead<Value>::setParameters(const ParameterValues<Value>& values) {
    values_ = values;
    Value* out = arranged_.data();
    for (int c = 0; c < config_.classes; ++c)
        for (int position = 0; position < positions_; ++position)
            for (int channel = 0; channel < config_.latentDim(); ++channel)
                *out++ = values.rounded[stored(c, position, channel)];
}

template <typename Value>
void TrainedEventHead<Value>::forward(std::span<const float* const> features, float* logits) {
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        Value* out = inputs_.data() + i * channels;
        if (sources_[i] < 0)
            std::fill_n(out, channels, Value{});
        else
            kernels<Value>().gather(features.front(), &sources_[i], out, 1.0f, 1, config_.latentDim());
    }
    layer_.forward(inputs_.data(), arranged_.data(), values_.exact + bias_.offset, logits);
}

template <typename Value>
void TrainedEventHead<Value>::backward(const float* logitGradients, std::span<float* const> featureGradients,
                                       std::span<float> gradients) {
    const auto& loops = kernels<Value>();
    loops.gather(logitGradients, nullptr, logitGradient_.data(), 1.0f, rows_, config_.classes);
    std::fill(arrangedGradient_.begin(), arrangedGradient_.end(), 0.0f);
    layer_.parameterGradients(inputs_.data(), logitGradient_.data(), arrangedGradient_.data(),
                              gradients.data() + bias_.offset);
    const float* in = arrangedGradient_.data();
    for (int c = 0; c < config_.classes; ++c)
        for (int position = 0; position < positions_; ++position)
            for (int channel = 0; channel < config_.latentDim(); ++channel)
                gradients[stored(c, position, channel)] += *in++;
    float* const featureGradient = featureGradients.front();
    if (featureGradient == nullptr) return;

    layer_.inputGradient(logitGradient_.data(), arranged_.data(), inputGradient_.data());
    const int grid = config_.stageGrid(last_);
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    const auto featureRows = rows_ / config_.stepsPerWindow() * grid * grid;
    std::fill_n(featureGradient, featureRows * config_.latentDim(), 0.0f);
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i] >= 0)
            loops.scatterAdd(featureGradient, &sources_[i], inputGradient_.data() + i * channels, 1.0f, 1,
                             config_.latentDim());
}

template class TrainedEventHead<float>;
template class TrainedEventHead<tensor::BFloat16>;

} // namespace earshot::training
