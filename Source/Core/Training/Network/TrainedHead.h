// A head with its backward pass, for several windows at a time: TrainedEventHead.h for TSCAM,
// TrainedFineHead.h for a fine head. One thread at a time.
#pragma once

#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/TrainedLinear.h"
#include "Core/Training/Network/TrainingNetwork.h"

#include <memory>
#include <span>

namespace earshot::training {

template <typename Value>
class TrainedHead {
  public:
    virtual ~TrainedHead() = default;

    virtual void setParameters(const ParameterValues<Value>& values) = 0;
    // features: for each of model::headStages() its tokens, (samples, grid^2, C); they stay in place until
    // backward(). logits: (samples, stepsPerWindow, classes)
    virtual void forward(std::span<const float* const> features, float* logits) = 0;
    // featureGradients: as features, set; null where none is wanted.
    virtual void backward(const float* logitGradients, std::span<float* const> featureGradients,
                          std::span<float> gradients) = 0;
};

// layout: outlives the head.
template <typename Value>
std::unique_ptr<TrainedHead<Value>> makeTrainedHead(const ParameterLayout& layout, int samples);

// A head alone, on stored encoder features: `--freeze encoder` trains it. It has the products, parameters and
// results of TrainingNetwork's head. One thread at a time.
class Head {
  public:
    Head(const ParameterLayout& layout, int samples, Arithmetic arithmetic);
    ~Head();

    void setParameters(std::span<const float> values);
    // features: as TrainedHead's -> logits (samples, stepsPerWindow, classes)
    std::span<const float> forward(std::span<const float* const> features);
    // Adds the head's gradients.
    void backward(std::span<const float> logitGradients, std::span<float> gradients);

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::training
