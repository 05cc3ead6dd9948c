// Reads the last step of a CLAP model's audio half or text half: its projection (Network/ClapProjection.h).
// The functions read a checkpoint on one thread; weights are immutable.
#pragma once

#include "Core/Model/LayerNormWeights.h"
#include "Core/Tensor/Primitives.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace earshot::model {

class Checkpoint;
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

} // namespace earshot::model
