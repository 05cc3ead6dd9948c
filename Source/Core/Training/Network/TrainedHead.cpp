#include "Core/Training/Network/TrainedHead.h"

#include "Core/Model/Network/EventHead.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace earshot::training {

using model::EventHead;
using tensor::kernels;

namespace {

std::vector<std::int32_t> neighbours(const model::Config& config, int samples) {
    const int grid = config.stageGrid(config.stageCount() - 1);
    const int rowCount = EventHead::frequencyRows(config);
    const int steps = config.tokensPerWindow();
    std::vector<std::int32_t> sources;
    for (int sample = 0; sample < samples; ++sample)
        for (int time = 0; time < steps; ++time)
            for (int row = 0; row < rowCount; ++row)
                for (int tap = 0; tap < EventHead::kernelWidth; ++tap) {
                    const int at = time + tap - EventHead::kernelWidth / 2;
                    const int gridRow = at / grid * rowCount + row;
                    const bool inside = at >= 0 && at < steps;
                    sources.push_back(inside ? (sample * grid + gridRow) * grid + at % grid : -1);
                }
    return sources;
}

} // namespace

template <typename Value>
TrainedHead<Value>::TrainedHead(const ParameterLayout& parameters, int samples)
    : config_(parameters.config())
    , positions_(EventHead::frequencyRows(config_) * EventHead::kernelWidth)
    , rows_(static_cast<std::int64_t>(samples) * config_.tokensPerWindow())
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
std::size_t TrainedHead<Value>::stored(int classIndex, int position, int channel) const {
    const auto row = static_cast<std::size_t>(classIndex) * static_cast<std::size_t>(config_.latentDim());
    return kernel_.offset + (row + static_cast<std::size_t>(channel)) * static_cast<std::size_t>(positions_) +
           static_cast<std::size_t>(position);
}

template <typename Value>
void TrainedHead<Value>::setParameters(const ParameterValues<Value>& values) {
    values_ = values;
    Value* out = arranged_.data();
    for (int c = 0; c < config_.classes; ++c)
        for (int position = 0; position < positions_; ++position)
            for (int channel = 0; channel < config_.latentDim(); ++channel)
                *out++ = values.rounded[stored(c, position, channel)];
}

template <typename Value>
void TrainedHead<Value>::forward(const float* features, float* logits) {
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        Value* out = inputs_.data() + i * channels;
        if (sources_[i] < 0)
            std::fill_n(out, channels, Value{});
        else
            kernels<Value>().gather(features, &sources_[i], out, 1.0f, 1, config_.latentDim());
    }
    layer_.forward(inputs_.data(), arranged_.data(), values_.exact + bias_.offset, logits);
}

template <typename Value>
void TrainedHead<Value>::backward(const float* logitGradients, float* featureGradient,
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
    if (featureGradient == nullptr) return;

    layer_.inputGradient(logitGradient_.data(), arranged_.data(), inputGradient_.data());
    const int grid = config_.stageGrid(config_.stageCount() - 1);
    const auto channels = static_cast<std::size_t>(config_.latentDim());
    const auto featureRows = rows_ / config_.tokensPerWindow() * grid * grid;
    std::fill_n(featureGradient, featureRows * config_.latentDim(), 0.0f);
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i] >= 0)
            loops.scatterAdd(featureGradient, &sources_[i], inputGradient_.data() + i * channels, 1.0f, 1,
                             config_.latentDim());
}

template class TrainedHead<float>;
template class TrainedHead<tensor::BFloat16>;

using tensor::BFloat16;

struct Head::Impl {
    virtual ~Impl() = default;
    virtual void setParameters(std::span<const float> values) = 0;
    virtual void forward(const float* features, float* logits) = 0;
    virtual void backward(const float* logitGradients, float* featureGradient,
                          std::span<float> gradients) = 0;

    std::vector<float> logits;
};

namespace {

template <typename Value>
class HeadPasses final : public Head::Impl {
  public:
    HeadPasses(const ParameterLayout& layout, int samples)
        : head_(layout, samples)
        , rounded_(layout.size()) {
        const auto& config = layout.config();
        logits.resize(static_cast<std::size_t>(samples) * static_cast<std::size_t>(config.tokensPerWindow()) *
                      static_cast<std::size_t>(config.classes));
        for (const auto& parameter : layout.parameters())
            if (parameter.ofHead()) used_.push_back(&parameter);
    }

    void setParameters(std::span<const float> values) override {
        if constexpr (std::is_same_v<Value, float>) {
            head_.setParameters({values.data(), values.data()});
        } else {
            for (const auto* parameter : used_)
                tensor::optimiserKernels().roundToBFloat16(values.data() + parameter->offset,
                                                           rounded_.data() + parameter->offset,
                                                           static_cast<std::int64_t>(parameter->size));
            head_.setParameters({values.data(), rounded_.data()});
        }
    }
    void forward(const float* features, float* out) override { head_.forward(features, out); }
    void backward(const float* logitGradients, float* featureGradient, std::span<float> gradients) override {
        head_.backward(logitGradients, featureGradient, gradients);
    }

  private:
    TrainedHead<Value> head_;
    tensor::AlignedVector<Value> rounded_;
    std::vector<const Parameter*> used_;
};

} // namespace

Head::Head(const ParameterLayout& layout, int samples, Arithmetic arithmetic) {
    if (arithmetic == Arithmetic::bfloat16)
        impl_ = std::make_unique<HeadPasses<BFloat16>>(layout, samples);
    else
        impl_ = std::make_unique<HeadPasses<float>>(layout, samples);
}

Head::~Head() = default;

void Head::setParameters(std::span<const float> values) { impl_->setParameters(values); }

std::span<const float> Head::forward(std::span<const float> features) {
    impl_->forward(features.data(), impl_->logits.data());
    return impl_->logits;
}

void Head::backward(std::span<const float> logitGradients, std::span<float> gradients,
                    std::span<float> featureGradients) {
    assert(logitGradients.size() == impl_->logits.size());
    impl_->backward(logitGradients.data(), featureGradients.empty() ? nullptr : featureGradients.data(),
                    gradients);
}

} // namespace earshot::training
