// A head with a finer clock than TSCAM's: one step for each column of the second stage (128 of 0.08 s in a
// window of 10.24 s). It reads the tokens of every stage from the second on. For each of them
//
//   projected(step) = W [normed tokens of all frequency rows of the step's column]
//
// and a step is the sum over the stages, with a coarser stage's column repeated: x (steps, headWidth). Time
// segments follow one another, so that the layers over time cross the seams of the image:
//
//   x += conv(gelu(norm(x)))     headLayers times, kernelWidth steps wide, zeros beyond the window
//   logits = classes(norm(x))
//
// Tokens of earlier stages have a norm of their own; those of the last passed the encoder's. One thread at a
// time; run() allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/Head.h"
#include "Core/Tensor/AlignedVector.h"

#include <cstddef>
#include <span>
#include <vector>

namespace earshot::model {

class FineHead final : public Head {
  public:
    static constexpr int kernelWidth = 5; // steps

    // stages: for each of headStages() its tokens (grid * grid, C). scratch: oneDNN's. All references outlive
    // this object.
    FineHead(const NetworkWeights& weights, const Config& config, std::span<const float* const> stages,
             float* scratch);

    void classInputs(std::span<float> inputs) const override;

  private:
    struct Source {
        const FineHeadWeights::Source& weights;
        int stage;
        const float* tokens;                     // (grid * grid, C)
        tensor::AlignedVector<std::byte> inputs; // (columns, frequency rows, C)
        tensor::Tensor projected;                // (columns, headWidth); empty for the first source
        tensor::LinearCall project;
    };

    Source sourceOf(const FineHeadWeights::Source& weights, int stage, const float* tokens, float* scratch);
    void computeLogits() override;
    void gather(Source& source);
    void addRepeated(const Source& source);
    void mix(std::size_t layer);

    const FineHeadWeights& weights_;
    tensor::Number number_;                    // of layers' inputs
    tensor::Tensor x_;                         // (steps, headWidth)
    tensor::AlignedVector<std::byte> normed_;  // (steps, headWidth)
    tensor::AlignedVector<std::byte> windows_; // (steps, kernelWidth, headWidth)
    std::vector<Source> sources_;
    std::vector<tensor::LinearCall> convolutions_;
    tensor::LinearCall classes_;
};

} // namespace earshot::model
