// A Swin block of either kind with its backward pass, for several windows at a time. It computes the same
// sums as SwinBlock in Core/Model. Tokens enter attention in attention order, so that the rows of an
// attention window are consecutive. It stores what its backward pass needs. One thread at a time.
#pragma once

#include "Core/Training/Network/TrainedBranch.h"
#include "Core/Training/Network/TrainedPositionBias.h"
#include "Core/Training/Network/TrainedScores.h"

#include <span>
#include <vector>

namespace earshot::training {

// The linear layers of a stage's blocks. Blocks of a stage have the same shapes, so one set serves all.
template <typename Value>
struct BlockLayers {
    BlockLayers(const model::Config& config, int stage, std::int64_t tokens);
    TrainedLinear<Value> qkv, projection, expand, contract;
};

// A sample's branch is kept, scaled by 1 / (1 - its probability of being dropped), or dropped (0).
struct BranchScales {
    std::span<const float> attention; // (samples)
    std::span<const float> mlp;       // (samples)
};

template <typename Value>
class TrainedBlock {
  public:
    TrainedBlock(const ParameterLayout& parameters, int stage, int index, const StageGeometry& geometry,
                 BlockLayers<Value>& layers, TrainingScratch<Value>& scratch);

    void setParameters(const ParameterValues<Value>& values);
    // input, output: (tokens, C), the residual stream before and after. The input must not change until
    // backward.
    void forward(const float* input, float* output, const BranchScales& scales);
    // stream: the gradient of the last forward's output. It becomes that of its input.
    void backward(float* stream, std::span<float> gradients);

  private:
    struct Offsets {
        Offsets(const ParameterLayout& parameters, const model::BlockForm& form);
        const Parameter &qkv, &projection, &projectionBias, &expand, &expandBias, &contract, &contractBias;
    };
    // The biases of queries, keys and values: one parameter, two in V2, or none.
    struct BiasOffsets {
        BiasOffsets(const ParameterLayout& parameters, const model::BlockForm& form);
        const Parameter *qkv = nullptr, *queries = nullptr, *values = nullptr;
    };

    const float* exact(const Parameter& parameter) const { return values_.exact + parameter.offset; }
    const Value* rounded(const Parameter& parameter) const { return values_.rounded + parameter.offset; }
    int attentionWindows() const; // of all samples
    std::ptrdiff_t firstRow(int index) const;
    void describe(int index, tensor::AttentionInput<Value>& input);
    void attend();
    void attendBackward(const Value* outputGradient, Value* qkvGradient);
    const float* qkvBias() const;
    void qkvGradients(const Value* qkvGradient, float* gradients);
    void backwardMlp(float* stream, float* gradients);
    void backwardAttention(float* stream, float* gradients);

    const Offsets offsets_;
    const BiasOffsets biases_;
    const StageGeometry& geometry_;
    BlockLayers<Value>& layers_;
    TrainingScratch<Value>& scratch_;
    const int index_;
    const int channels_;
    const int heads_;
    const int hidden_;
    ParameterValues<Value> values_;
    TrainedPositionBias positionBias_;
    TrainedScores<Value> scores_;
    TrainedBranch<Value> attention_, mlp_;
    std::vector<float> qkvBias_;         // (3C): V2's (queryBias, 0, valueBias)
    std::vector<float> qkvBiasGradient_; // likewise

    // Stored by forward for backward:
    tensor::AlignedVector<float> middle_;     // (tokens, C): the stream between attention and MLP
    tensor::AlignedVector<Value> qkv_;        // (tokens, 3C), attention order, as TrainedScores prepares them
    tensor::AlignedVector<Value> attended_;   // (tokens, C), attention order
    tensor::AlignedVector<Value> beforeGelu_; // (tokens, mlpRatio * C)
    tensor::AlignedVector<Value> afterGelu_;  // (tokens, mlpRatio * C)
};

} // namespace earshot::training
