#include "Core/Training/Network/TrainedHead.h"

#include "Core/Model/Network/Head.h"
#include "Core/Training/Network/TrainedEventHead.h"
#include "Core/Training/Network/TrainedFineHead.h"

#include <cassert>
#include <vector>

namespace earshot::training {

using tensor::BFloat16;

template <typename Value>
std::unique_ptr<TrainedHead<Value>> makeTrainedHead(const ParameterLayout& layout, int samples) {
    if (layout.config().head == model::HeadKind::fine)
        return std::make_unique<TrainedFineHead<Value>>(layout, samples);
    return std::make_unique<TrainedEventHead<Value>>(layout, samples);
}

template std::unique_ptr<TrainedHead<float>> makeTrainedHead(const ParameterLayout& layout, int samples);
template std::unique_ptr<TrainedHead<BFloat16>> makeTrainedHead(const ParameterLayout& layout, int samples);

struct Head::Impl {
    virtual ~Impl() = default;
    virtual void setParameters(std::span<const float> values) = 0;
    virtual void forward(std::span<const float* const> features, float* logits) = 0;
    virtual void backward(const float* logitGradients, std::span<float> gradients) = 0;

    std::vector<float> logits;
};

namespace {

template <typename Value>
class HeadPasses final : public Head::Impl {
  public:
    HeadPasses(const ParameterLayout& layout, int samples)
        : head_(makeTrainedHead<Value>(layout, samples))
        , rounded_(layout.size())
        , noGradients_(model::headStages(layout.config()).size()) {
        const auto& config = layout.config();
        logits.resize(static_cast<std::size_t>(samples) * static_cast<std::size_t>(config.stepsPerWindow()) *
                      static_cast<std::size_t>(config.classes));
        for (const auto& parameter : layout.parameters())
            if (parameter.ofHead()) used_.push_back(&parameter);
    }

    void setParameters(std::span<const float> values) override {
        if constexpr (std::is_same_v<Value, float>) {
            head_->setParameters({values.data(), values.data()});
        } else {
            for (const auto* parameter : used_)
                tensor::optimiserKernels().roundToBFloat16(values.data() + parameter->offset,
                                                           rounded_.data() + parameter->offset,
                                                           static_cast<std::int64_t>(parameter->size));
            head_->setParameters({values.data(), rounded_.data()});
        }
    }
    void forward(std::span<const float* const> features, float* out) override {
        head_->forward(features, out);
    }
    void backward(const float* logitGradients, std::span<float> gradients) override {
        head_->backward(logitGradients, noGradients_, gradients);
    }

  private:
    std::unique_ptr<TrainedHead<Value>> head_;
    tensor::AlignedVector<Value> rounded_;
    std::vector<const Parameter*> used_;
    std::vector<float*> noGradients_; // null for each stage
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

std::span<const float> Head::forward(std::span<const float* const> features) {
    impl_->forward(features, impl_->logits.data());
    return impl_->logits;
}

void Head::backward(std::span<const float> logitGradients, std::span<float> gradients) {
    assert(logitGradients.size() == impl_->logits.size());
    impl_->backward(logitGradients.data(), gradients);
}

} // namespace earshot::training
