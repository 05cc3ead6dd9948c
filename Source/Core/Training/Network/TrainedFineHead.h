// The fine head with its backward pass, for several windows at a time. It computes the same sums as FineHead
// in Core/Model. One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/TrainedHead.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

template <typename Value>
class TrainedFineHead final : public TrainedHead<Value> {
  public:
    TrainedFineHead(const ParameterLayout& parameters, int samples);

    void setParameters(const ParameterValues<Value>& values) override { values_ = values; }
    void forward(std::span<const float* const> features, float* logits) override;
    void backward(const float* logitGradients, std::span<float* const> featureGradients,
                  std::span<float> gradients) override;

  private:
    struct Norm {
        const Parameter& gain;
        const Parameter& shift;
    };
    // A stage: its tokens are gathered by columns, normed (not in the last stage) and projected.
    struct Source {
        Source(const ParameterLayout& parameters, int stage, int samples);

        std::int64_t channels, tokens; // of all samples
        std::unique_ptr<const Norm> norm;
        const Parameter& weights;
        const Parameter* bias; // null but in the last stage
        TrainedLinear<Value> layer;
        std::vector<std::int32_t> places;        // (tokens): the token at each place of the inputs
        std::vector<std::int32_t> columns;       // (steps): the column of each step
        tensor::AlignedVector<float> statistics; // (tokens, 2)
        tensor::AlignedVector<Value> inputs;     // (columns, frequency rows, C)
        tensor::AlignedVector<Value> inputGradient;
        tensor::AlignedVector<float> projected; // (columns, headWidth), and its gradient
        tensor::AlignedVector<Value> projectedGradient;
        tensor::AlignedVector<float> unwanted; // (tokens, C): a gradient that nobody asks for
    };
    struct Layer {
        Layer(const ParameterLayout& parameters, int index, std::int64_t steps);

        Norm norm;
        const Parameter& weights;
        const Parameter& bias;
        tensor::AlignedVector<float> x;          // (steps, headWidth): the layer's input
        tensor::AlignedVector<float> statistics; // (steps, 2)
        tensor::AlignedVector<Value> normed;     // (steps, headWidth), before the GELU
        tensor::AlignedVector<Value> windows;    // (steps, kernelWidth, headWidth)
    };

    static Norm normOf(const ParameterLayout& parameters, const std::string& name);
    void project(Source& source, const float* features);
    void backwardOf(Source& source, const float* features, float* featureGradient,
                    std::span<float> gradients);
    void forwardOf(Layer& layer, float* output);
    void backwardOf(Layer& layer, std::span<float> gradients);
    void layerNorm(const Norm& norm, const float* x, const std::int32_t* rows, Value* y, float* statistics,
                   std::int64_t count, std::int64_t channels) const;
    void layerNormBackward(const Norm& norm, const float* x, const std::int32_t* rows,
                           const float* statistics, const Value* dy, float* dx, std::int64_t count,
                           std::int64_t channels, std::span<float> gradients) const;

    const std::int64_t steps_; // of all samples
    const std::int64_t width_;
    const std::int64_t classCount_;
    ParameterValues<Value> values_;
    std::vector<std::unique_ptr<Source>> sources_;
    std::vector<std::unique_ptr<Layer>> layers_;
    TrainedLinear<Value> convolution_;
    TrainedLinear<Value> classes_;
    Norm norm_;
    const Parameter& weights_; // of the classes
    const Parameter& bias_;
    std::vector<std::int32_t> taps_; // (steps, kernelWidth): the step there; `steps_` beyond the window
    std::vector<const float*> features_;

    tensor::AlignedVector<float> x_;              // (steps, headWidth): the last layer's output
    tensor::AlignedVector<float> statistics_;     // (steps, 2)
    tensor::AlignedVector<Value> normed_;         // (steps, headWidth)
    tensor::AlignedVector<Value> active_;         // (steps + 1, headWidth): a layer's GELU; the last row is 0
    tensor::AlignedVector<float> mixed_;          // (steps, headWidth): a layer's product
    tensor::AlignedVector<float> gradient_;       // (steps, headWidth): of x at the current place of backward
    tensor::AlignedVector<float> activeGradient_; // (steps + 1, headWidth)
    tensor::AlignedVector<Value> rounded_;        // (steps, headWidth): a gradient that a product reads
    tensor::AlignedVector<Value> windowGradient_; // (steps, kernelWidth, headWidth)
    tensor::AlignedVector<Value> logitGradient_;  // (steps, classes)
};

} // namespace earshot::training
