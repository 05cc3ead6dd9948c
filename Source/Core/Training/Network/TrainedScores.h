// How a block's queries and keys become scores, with the backward pass: V1's are dot products times a fixed
// scale; V2's are cosines times a scale of each head (BlockForm.h). One thread at a time.
#pragma once

#include "Core/Tensor/AlignedVector.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <cstdint>
#include <vector>

namespace earshot::training {

template <typename Value>
class TrainedScores {
  public:
    // tokens: of all samples
    TrainedScores(const ParameterLayout& parameters, int stage, int index, std::int64_t tokens);

    void setParameters(const float* values);
    // What attention multiplies its dot products by; V2's scales are in the queries instead.
    float scale() const { return scale_; }

    // qkv: (tokens, 3C). In V2 queries and keys get the length 1, and queries their head's scale.
    void prepare(Value* qkv);
    // qkv: as prepared. qkvGradient: becomes the gradient of what prepare() read.
    void backward(const Value* qkv, Value* qkvGradient, float* gradients) const;

  private:
    struct Columns; // the queries or the keys of a head
    template <typename Visitor>
    void forEachColumns(const Visitor& visit) const;

    const Parameter* logScale_ = nullptr; // null in V1
    const std::int64_t tokens_;
    const int channels_, headDim_;
    const float scale_;
    const float* logScales_ = nullptr;
    std::vector<float> scales_;            // (heads); empty in V1
    tensor::AlignedVector<float> factors_; // ({queries, keys}, heads, tokens): of the last prepare()
};

} // namespace earshot::training
