// The network's layers as a pass reads them: linear layers packed for oneDNN, norms and tables as they are.
// Built once by Weights, immutable after. Shapes as for Config; N is the tokens of a stage, C its width.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Precision/ActivationRanges.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::model {

class Checkpoint;

// Where the results are bytes, gain and bias are such that they come out as these.
struct LayerNormWeights {
    static constexpr float epsilon = 1e-5f;
    tensor::Tensor gain; // (C)
    tensor::Tensor bias; // (C)
};

struct BlockWeights {
    LayerNormWeights norm1;
    tensor::Linear qkv; // C -> 3C
    tensor::Tensor
        positionBias; // (heads, n, paddedTokens(n)) with n tokens in an attention window; padding is 0
    tensor::ByteScale attended; // of what the projection reads, where that is bytes
    tensor::Linear projection;  // C -> C, added to the residual stream
    LayerNormWeights norm2;
    tensor::Linear expand;   // C -> 4C; of bytes with the GELU that follows
    tensor::Linear contract; // 4C -> C, added to the residual stream
};

struct MergingWeights {
    LayerNormWeights norm;    // over 4C
    tensor::Linear reduction; // 4C -> 2C, no bias
};

struct StageWeights {
    std::vector<BlockWeights> blocks;
    std::optional<MergingWeights> merging; // none after the last stage
};

// Of the first stage, for one strip of attention windows at a time (StripStage.h).
struct StripWeights {
    tensor::Linear patchProjection;
    std::vector<BlockWeights> blocks;
    MergingWeights merging;
};

struct NetworkWeights {
    // What layers hand to one another, and are packed as. The patch projection reads float32, and the
    // residual stream and the head's logits are float32; with bytes so are queries, keys and values, and what
    // the head reads.
    tensor::Number activations = tensor::Number::float32;
    // Batch normalisation per mel band, folded: y = x * bandScale + bandShift.
    tensor::Tensor bandScale;       // (melBands)
    tensor::Tensor bandShift;       // (melBands)
    std::vector<float> melFilters;  // (fftSize / 2 + 1, melBands) or empty
    tensor::Linear patchProjection; // patch pixels -> embedDim
    std::optional<LayerNormWeights> patchNorm;
    tensor::Tensor absolutePosition; // (N, embedDim) or empty
    std::vector<StageWeights> stages;
    std::optional<StripWeights> strips; // none where StripStage does not fit
    LayerNormWeights norm;              // (latentDim)
    tensor::Linear head; // TSCAM: (latentDim * rows * 3) -> classes per token; else latentDim -> classes
};

// Reads, checks and packs every tensor under `prefix` for a precision that is not automatic; adds the values
// read to `parameterCount`. ranges: what int8 is made with; null in other precisions.
// Throws earshot::Error: "tensor X: expected (…), found (…)".
NetworkWeights readNetworkWeights(Checkpoint& checkpoint, const std::string& prefix, const Config& config,
                                  Precision precision, const ActivationRanges* ranges,
                                  std::int64_t& parameterCount);

} // namespace earshot::model
