// The last step of a CLAP model's audio half: projects the network's latent vector into the space that audio
// shares with texts. Always float32; takes less than a thousandth of a pass. One thread at a time; weights
// are immutable.
//   Microsoft CLAP 2023 (Elizalde et al., "Natural Language Supervision for General-Purpose Audio
//     Representations", ICASSP 2024): LayerNorm(W1 z + W2 GELU(W1 z)), 768 -> 1024, not normalised
//   LAION-CLAP (Wu et al., "Large-Scale Contrastive Language-Audio Pretraining", ICASSP 2023):
//     W2 ReLU(W1 z + b1) + b2, 768 -> 512, divided by its length
#pragma once

#include "Core/Model/Reading/ClapReader.h"
#include "Core/Tensor/AlignedVector.h"
#include "Core/Tensor/Primitives.h"

#include <memory>
#include <span>

namespace earshot::model {

class Weights;

// Runs the projection. One thread at a time; Earshot's code allocates nothing in run().
class ClapProjection {
  public:
    explicit ClapProjection(std::shared_ptr<const ClapProjectionWeights> weights);
    // The weights must hold a projection (Weights::projection()).
    explicit ClapProjection(const std::shared_ptr<const Weights>& weights);

    int dimensions() const { return weights_->dimensions(); }
    // (inputs) -> (dimensions), valid until the next run. Throws earshot::Error if the vector holds values
    // that are no numbers.
    std::span<const float> run(std::span<const float> input);

  private:
    std::shared_ptr<const ClapProjectionWeights> weights_;
    tensor::AlignedVector<float> input_;  // (inputs)
    tensor::AlignedVector<float> hidden_; // (dimensions)
    tensor::AlignedVector<float> output_; // (dimensions)
    tensor::AlignedVector<float> scratch_;
    tensor::LinearCall first_;
    tensor::LinearCall second_;
};

// Divides the vector by its Euclidean length; zeros stay zeros.
void normaliseLength(std::span<float> vector);

} // namespace earshot::model
