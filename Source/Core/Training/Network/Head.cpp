#include "Core/Training/Network/Head.h"

#include "Core/Training/Network/TrainedHead.h"

#include <cassert>
#include <vector>

namespace earshot::training {

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
