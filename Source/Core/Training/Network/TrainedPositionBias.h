// The relative position biases of a block's attention with their backward pass: V1's table, or the network
// that computes V2's (PositionBias.h). One thread at a time.
#pragma once

#include "Core/Model/Network/PositionBias.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <cstdint>
#include <vector>

namespace earshot::training {

class TrainedPositionBias {
  public:
    TrainedPositionBias(const ParameterLayout& parameters, int stage, int index);

    // values: exact, in the order of ParameterLayout; they must stay until the next call.
    void setParameters(const float* values);
    // (heads, n, n) with n tokens in an attention window
    const float* biases() const { return biases_.data(); }

    // Where attention adds the gradient of biases(): (heads, n, n), set to 0.
    float* clearedGradient();
    // Adds the gradients of parameters for it.
    void backward(float* gradients);

  private:
    // The parameters of V2's network; null in V1.
    struct NetworkForm {
        const Parameter *hidden = nullptr, *hiddenBias = nullptr, *result = nullptr;
    };
    bool isV1() const { return table_ != nullptr; }
    model::BiasNetwork network() const;
    void networkBackward(float* gradients);
    void spread(const float* table);

    const std::size_t heads_;
    const std::vector<std::int32_t> rows_; // (n, n): of the table, for two tokens of an attention window
    const Parameter* table_ = nullptr;     // V1's
    NetworkForm form_;                     // V2's
    std::vector<float> distances_;         // inputs of V2's network
    std::vector<float> computed_;          // V2's table: (positions, heads)
    std::vector<float> tableGradient_;     // likewise
    const float* values_ = nullptr;
    std::vector<float> biases_, gradient_; // (heads, n, n)
};

} // namespace earshot::training
