// The last step of a CLAP model's audio half: from the network's latent vector to the space that texts are
// embedded in too. Always float32; less than a thousandth of a pass.
//   Microsoft CLAP 2023 (Elizalde et al., "Natural Language Supervision for General-Purpose Audio
//     Representations", ICASSP 2024): LayerNorm(W1 z + W2 GELU(W1 z)), 768 -> 1024, not normalised
//   LAION-CLAP (Wu et al., "Large-Scale Contrastive Language-Audio Pretraining", ICASSP 2023):
//     W2 ReLU(W1 z + b1) + b2, 768 -> 512, divided by its length
#pragma once

#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Tensor/AlignedVector.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace earshot::model {

class Checkpoint;
class Weights;
struct CheckpointLayout;

// Immutable once read.
struct ClapProjectionWeights {
    // What cosine similarities are multiplied with where the file does not say: where CLAP's training starts.
    static constexpr float usualScale = 1.0f / 0.07f;

    tensor::Linear first;                 // latentDim -> dimensions
    tensor::Linear second;                // dimensions -> dimensions
    std::optional<LayerNormWeights> norm; // Microsoft's; else LAION's
    std::optional<float> storedScale;     // of the checkpoint: e to the power of its logit scale

    int dimensions() const { return static_cast<int>(second.outputs()); }
    float scale() const { return storedScale.value_or(usualScale); }
    std::size_t memoryBytes() const;
};

// Values of the vectors that it would give; 0 where readClapProjection() gives null. Throws earshot::Error
// when its first tensor has an impossible shape.
std::int64_t projectionDimensions(const Checkpoint& checkpoint, const CheckpointLayout& layout);

// Null when the checkpoint is of no CLAP model, or holds its network alone. Adds the values read to
// `parameterCount`. Throws earshot::Error as readNetworkWeights() does.
std::unique_ptr<const ClapProjectionWeights>
readClapProjection(Checkpoint& checkpoint, const CheckpointLayout& layout, std::int64_t& parameterCount);

// One thread at a time; allocates nothing in run() by Earshot's code.
class ClapProjection {
  public:
    // The weights must hold a projection (Weights::projection()).
    explicit ClapProjection(std::shared_ptr<const Weights> weights);

    int dimensions() const { return weights_->dimensions(); }
    // latent: (latentDim) -> (dimensions), valid until the next run.
    std::span<const float> run(std::span<const float> latent);

  private:
    std::shared_ptr<const Weights> owner_;
    const ClapProjectionWeights* weights_;
    tensor::AlignedVector<float> input_;  // (latentDim)
    tensor::AlignedVector<float> hidden_; // (dimensions)
    tensor::AlignedVector<float> output_; // (dimensions)
    tensor::AlignedVector<float> scratch_;
    tensor::LinearCall first_;
    tensor::LinearCall second_;
};

// Divides by the Euclidean length; zeros stay zeros.
void normaliseLength(std::span<float> vector);

} // namespace earshot::model
