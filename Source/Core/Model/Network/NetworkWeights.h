// The network's layers as a pass reads them: linear layers packed for oneDNN, norms and tables unpacked.
// Weights builds them once; they are immutable afterwards, so any thread may read them. Shapes follow Config;
// N is the number of tokens in a stage, C its width.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/LayerNormWeights.h"
#include "Core/Model/Precision/ActivationRanges.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::model {

class Checkpoint;

struct BlockWeights {
    BlockKind kind = BlockKind::v1; // where the norms stand (BlockForm.h)
    LayerNormWeights norm1;
    tensor::Linear qkv; // C -> 3C; in V2 float32 in every precision
    // (heads, n, paddedTokens(n)) with n tokens in an attention window; padding is 0
    tensor::Tensor positionBias;
    tensor::Tensor scoreScale;  // (heads): factors of V2's cosines; empty in V1
    tensor::ByteScale attended; // scale of the projection's input in int8
    tensor::Linear projection;  // C -> C, added to the residual stream; in V2 by norm1
    LayerNormWeights norm2;
    tensor::Linear expand;   // C -> 4C; in int8 it includes the GELU
    tensor::Linear contract; // 4C -> C, added to the residual stream; in V2 by norm2
};

struct MergingWeights {
    BlockKind kind = BlockKind::v1;
    LayerNormWeights norm;    // over 4C; in V2 over 2C, after the reduction
    tensor::Linear reduction; // 4C -> 2C, no bias
};

struct StageWeights {
    std::vector<BlockWeights> blocks;
    std::optional<MergingWeights> merging; // none after the last stage
};

// The first stage packed for one strip of attention windows at a time (StripStage.h).
struct StripWeights {
    tensor::Linear patchProjection;
    std::vector<BlockWeights> blocks;
    MergingWeights merging;
};

// The layers of a FineHead before its classes.
struct FineHeadWeights {
    struct Source {
        std::optional<LayerNormWeights> norm; // none for the last stage
        tensor::Linear projection;            // (frequency rows * C) -> headWidth
    };
    struct Layer {
        LayerNormWeights norm;
        tensor::Linear convolution; // (kernelWidth * headWidth) -> headWidth, added to the steps
    };
    std::vector<Source> sources; // as headStages()
    std::vector<Layer> layers;
    LayerNormWeights norm; // (headWidth)
};

struct NetworkWeights {
    // The type of activations between layers, for which the layers are packed. These are always float32: the
    // patch projection's input, the residual stream and the head's logits. With bytes these are float32 too:
    // queries, keys and values, and the head's input.
    tensor::Number activations = tensor::Number::float32;
    // Batch normalisation per mel band, folded: y = x * bandScale + bandShift.
    tensor::Tensor bandScale;       // (melBands)
    tensor::Tensor bandShift;       // (melBands)
    std::vector<float> melFilters;  // (fftSize / 2 + 1, melBands) or empty
    tensor::Linear patchProjection; // patch pixels -> embedDim
    std::optional<LayerNormWeights> patchNorm;
    tensor::Tensor absolutePosition; // (N, embedDim) or empty
    std::vector<StageWeights> stages;
    std::optional<StripWeights> strips;      // none where StripStage does not fit
    LayerNormWeights norm;                   // (latentDim)
    std::optional<FineHeadWeights> fineHead; // none with other heads
    // To classes at each step: from (latentDim * rows * 3) with TSCAM, from latentDim pooled, from headWidth
    // with a fine head.
    tensor::Linear head;
};

// Reads, checks and packs every tensor under `prefix`. Adds the number of trained values to `parameterCount`.
// precision: not automatic. ranges: measured for int8; null in other precisions.
// Throws earshot::Error: "tensor X: expected (…), found (…)".
NetworkWeights readNetworkWeights(Checkpoint& checkpoint, const std::string& prefix, const Config& config,
                                  Precision precision, const ActivationRanges* ranges,
                                  std::int64_t& parameterCount);

} // namespace earshot::model
