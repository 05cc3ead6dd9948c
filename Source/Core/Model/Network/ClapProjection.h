// The last step of a CLAP model's audio half: projects the network's latent vector into the space that audio
// shares with texts. Always float32; takes less than a thousandth of a pass. One thread at a time; weights
// are immutable.
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
#include <string>

namespace earshot::model {

class Checkpoint;
class Weights;
struct CheckpointLayout;

// Immutable once read.
struct ClapProjectionWeights {
    tensor::Linear first;                 // latentDim -> dimensions
    tensor::Linear second;                // dimensions -> dimensions
    std::optional<LayerNormWeights> norm; // present: Microsoft's form; none: LAION's
    // e to the power of the checkpoint's logit scale: cosine similarities are multiplied by it. 1 for the
    // projection of texts.
    float scale = 1.0f;
    // SHA-256 of the layers' stored weights: vectors belong together where it is the same. Empty for the
    // projection of texts.
    std::string digest = {};

    int dimensions() const { return static_cast<int>(second.outputs()); }
    std::size_t memoryBytes() const;
};

// Returns the length of the projected vectors; 0 where readClapProjection() returns null. Throws
// earshot::Error if the first layer has an impossible shape.
std::int64_t projectionDimensions(const Checkpoint& checkpoint, const CheckpointLayout& layout);

// Returns null if the checkpoint is not a CLAP model's or holds only the network. Adds the number of values
// read to `parameterCount`. Throws earshot::Error as readNetworkWeights() does.
std::unique_ptr<const ClapProjectionWeights>
readClapProjection(Checkpoint& checkpoint, const CheckpointLayout& layout, std::int64_t& parameterCount);

// Returns the projection of a CLAP model's text half, whose tensors are named `prefix` + "linear1.weight"
// (Microsoft's) or "0.weight" (LAION's), which must be there. Otherwise as readClapProjection().
std::unique_ptr<const ClapProjectionWeights> readTextProjection(Checkpoint& checkpoint,
                                                                const std::string& prefix,
                                                                std::int64_t inputs,
                                                                std::int64_t& parameterCount);

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
