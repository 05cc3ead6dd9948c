// One of a block's two branches, attention or MLP, with its backward pass: how its layers read the residual
// stream and how their result is added to it. The norm stands before the layers in V1 and after them in V2
// (BlockForm.h). One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/ParameterLayout.h"
#include "Core/Training/Network/StageGeometry.h"
#include "Core/Training/Network/TrainedLinear.h"

#include <span>
#include <string>

namespace earshot::training {

// Buffers that all blocks share, large enough for the first stage.
template <typename Value>
struct TrainingScratch {
    TrainingScratch(const model::Config& config, int samples);
    tensor::AlignedVector<Value> narrow; // (tokens, C)
    tensor::AlignedVector<Value> normed; // (tokens, C)
    tensor::AlignedVector<Value> wide;   // (tokens, max(3, mlpRatio) * C)
    tensor::AlignedVector<float> exact;  // (tokens, C); empty in V1
    tensor::AlignedVector<float> attention;
};

// The type of the layers' result: V2 normalises it.
template <typename Value>
tensor::Number branchResult(const model::Config& config) {
    return config.block == model::BlockKind::v1 ? numberOf<Value> : tensor::Number::float32;
}

template <typename Value>
class TrainedBranch {
  public:
    // rows: the row of the stream of each token that the layers read, (tokens); null: they read the stream in
    // its order. norm: the name of its norm.
    TrainedBranch(const ParameterLayout& parameters, int stage, const std::string& norm,
                  const std::int32_t* rows, const StageGeometry& geometry, TrainingScratch<Value>& scratch);

    void setParameters(const float* exact) { exact_ = exact; }

    // stream: (tokens, C). It must not change until the backward pass is over.
    void read(const float* stream);
    const Value* inputs() const { return inputs_.data(); } // of the layers: (tokens, C)
    // Where the last layer writes: (tokens, C) of branchResult().
    void* results();
    // output: (tokens, C), the stream that was read plus the branch. scales, one per sample: 1 / (1 - the
    // probability that the branch is dropped), or 0 where it is; they must stay until the backward pass.
    void add(float* output, std::span<const float> scales);

    // stream: the gradient of output. Returns that of results(), (tokens, C), in TrainingScratch::narrow.
    const Value* resultGradient(const float* stream, float* gradients);
    // inputGradient: that of inputs(). Makes `stream` the gradient of the stream that was read.
    void addInputGradient(const Value* inputGradient, float* stream, float* gradients);

  private:
    bool isV1() const { return results_.empty(); }
    // What `rows` and `x` are for one sample.
    const std::int32_t* rowsOf(int sample) const;
    std::int64_t firstOf(int sample) const; // value of the stream that these rows count from

    const Parameter &gain_, &shift_;
    const std::int32_t* const rows_;
    const StageGeometry& geometry_;
    TrainingScratch<Value>& scratch_;
    const int channels_;
    const float* exact_ = nullptr;
    const float* stream_ = nullptr;
    std::span<const float> scales_;

    // Stored for the backward pass:
    tensor::AlignedVector<Value> inputs_;     // (tokens, C)
    tensor::AlignedVector<float> results_;    // (tokens, C); empty in V1
    tensor::AlignedVector<float> statistics_; // (tokens, 2), of the norm
};

} // namespace earshot::training
