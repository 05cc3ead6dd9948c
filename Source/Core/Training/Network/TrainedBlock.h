// A Swin block with its backward pass, for several windows at a time. It computes the same sums as SwinBlock
// in Core/Model. Tokens enter attention in attention order, so that the rows of an attention window are
// consecutive. It stores what its backward pass needs. One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/StageGeometry.h"
#include "Core/Training/Network/TrainedLinear.h"

#include <memory>
#include <span>

namespace earshot::training {

// The linear layers of a stage's blocks. Blocks of a stage have the same shapes, so one set serves all.
template <typename Value>
struct BlockLayers {
    BlockLayers(const model::Config& config, int stage, std::int64_t tokens);
    TrainedLinear<Value> qkv, projection, expand, contract;
};

// Buffers that all blocks share, large enough for the first stage.
template <typename Value>
struct TrainingScratch {
    TrainingScratch(const model::Config& config, int samples);
    tensor::AlignedVector<Value> narrow; // (tokens, C)
    tensor::AlignedVector<Value> normed; // (tokens, C)
    tensor::AlignedVector<Value> wide;   // (tokens, mlpRatio * C)
    tensor::AlignedVector<float> attention;
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
        const Parameter &gain1, &shift1, &qkv, &table, &projection, &projectionBias, &gain2, &shift2, &expand,
            &expandBias, &contract, &contractBias;
        const Parameter* qkvBias; // null if the model has none
    };

    const float* exact(const Parameter& parameter) const { return values_.exact + parameter.offset; }
    const Value* rounded(const Parameter& parameter) const { return values_.rounded + parameter.offset; }
    int attentionWindows() const; // of all samples
    std::ptrdiff_t firstRow(int index) const;
    void describe(int index, tensor::AttentionInput<Value>& input);
    void attend();
    void attendBackward(const Value* outputGradient, Value* qkvGradient);
    void foldPositionGradient(float* tableGradient);
    void backwardMlp(float* stream, float* gradients);
    void backwardAttention(float* stream, float* gradients);

    const Offsets offsets_;
    const StageGeometry& geometry_;
    BlockLayers<Value>& layers_;
    TrainingScratch<Value>& scratch_;
    const int index_;
    const int channels_;
    const int heads_;
    const int hidden_;
    const float scoreScale_;
    ParameterValues<Value> values_;
    BranchScales scales_;
    const float* input_ = nullptr;

    std::vector<std::int32_t>
        tableEntries_;                    // (n, n): the table's entry for two tokens of an attention window
    std::vector<float> positionBias_;     // (heads, n, n)
    std::vector<float> positionGradient_; // (heads, n, n)

    // Stored by forward for backward:
    tensor::AlignedVector<float> middle_;      // (tokens, C): the stream between attention and MLP
    tensor::AlignedVector<float> statistics1_; // (tokens, 2), attention order
    tensor::AlignedVector<float> statistics2_; // (tokens, 2)
    tensor::AlignedVector<Value> normed1_;     // (tokens, C), attention order
    tensor::AlignedVector<Value> qkv_;         // (tokens, 3C), attention order
    tensor::AlignedVector<Value> attended_;    // (tokens, C), attention order
    tensor::AlignedVector<Value> normed2_;     // (tokens, C)
    tensor::AlignedVector<Value> beforeGelu_;  // (tokens, mlpRatio * C)
    tensor::AlignedVector<Value> afterGelu_;   // (tokens, mlpRatio * C)
};

} // namespace earshot::training
