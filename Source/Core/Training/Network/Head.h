// The TSCAM head alone, on encoder features that are kept: what `--freeze encoder` trains. The same products,
// parameters ("tscam_conv.*") and results as the head of TrainingNetwork. One thread at a time.
#pragma once

#include "Core/Training/Network/TrainingNetwork.h"

#include <memory>
#include <span>

namespace earshot::training {

class Head {
  public:
    Head(const ParameterLayout& layout, int samples, Arithmetic arithmetic);
    ~Head();

    void setParameters(std::span<const float> values);
    // features: (samples, lastGrid^2, latentDim) -> logits (samples, tokensPerWindow, classes)
    std::span<const float> forward(std::span<const float> features);
    // Adds the head's gradients; featureGradients (as features) is set unless empty.
    void backward(std::span<const float> logitGradients, std::span<float> gradients,
                  std::span<float> featureGradients = {});

    struct Impl;

  private:
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::training
