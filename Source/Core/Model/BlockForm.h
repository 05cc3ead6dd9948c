// Describes each tensor of a network once: its name in the reference implementation, its shape, and its role
// in training and int8. All code that reads, writes, counts, trains or invents weights uses this description.
//
// A block is one of two (BlockKind). In Swin's first form (Liu et al. 2021, equation 3) norms stand before
// its layers; scores are dot products plus a table of biases by relative position (section 3.2):
//   x += projection(attention(qkv(norm1(x))));  x += contract(gelu(expand(norm2(x))))
// In V2 (Liu et al. 2022, section 3) norms stand after its layers; scores are cosines times a scale of each
// head, exp(min(logit_scale, log 100)), plus biases that a small network computes from relative positions:
//   x += norm1(projection(attention(qkv(x))));  x += norm2(contract(gelu(expand(x))))
// Pure functions of a valid Config: any thread.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace earshot::model {

enum class TensorRole {
    matrix,    // of a linear layer or a convolution: (outputs, inputs...)
    bias,      // of a linear layer or a convolution: (outputs)
    gain,      // of a norm: (channels)
    shift,     // likewise
    table,     // values added by position
    scoring,   // of V2's scores: their scales, and the network that computes their biases
    statistic, // measured or fixed, not trained
};

struct TensorForm {
    std::string name; // "layers.0.blocks.1.attn.qkv.weight"; files may have a prefix before it
    tensor::Shape shape;
    TensorRole role = TensorRole::matrix;
    // -1: band norm and patch embedding; 0 to stageCount() - 1: that stage of the encoder;
    // stageCount(): final norm and head
    int stage = -1;
    bool quantisable = false; // int8 packs it as bytes
    bool optional = false;    // a file may lack it
    // Where a training from nothing begins: at values drawn from a normal distribution, or all at `start`.
    bool isDrawn = false;
    float start = 0.0f;

    bool trained() const { return role != TensorRole::statistic; }
    bool decays() const { return role == TensorRole::matrix; } // by weight decay
    bool ofHead() const;
    bool ofClasses() const; // its first extent is the classes: fine-tuning for others replaces it
};

// The names of one block's layers and tables.
struct BlockForm {
    BlockForm(int stage, int index);

    std::string norm1, qkv, projection, norm2, expand, contract;
    std::string positionTable; // V1
    // V2. Its keys have no bias: qkv's is (queryBias, 0, valueBias). scoreScale is the logarithm, (heads, 1,
    // 1). The network of biases is biasHidden, ReLU, biasResult.
    std::string queryBias, valueBias, scoreScale, biasHidden, biasResult;
    std::string distances; // V2's inputs of that network, (1, 2 side - 1, 2 side - 1, 2); never read
    static constexpr std::int64_t biasWidth = 512; // of biasHidden
};
std::vector<TensorForm> blockTensors(const Config& config, int stage, int index);

// The names of the patch merging after a stage: norm over four tokens' channels, then reduction without bias;
// in V2 the norm stands after the reduction.
struct MergingForm {
    explicit MergingForm(int stage);

    std::string norm, reduction;
};
std::vector<TensorForm> mergingTensors(const Config& config, int stage);

// The names of a fine head's layers (Network/FineHead.h).
struct FineHeadForm {
    struct Source {
        explicit Source(int stage);

        std::string norm, projection; // the last stage has no norm here, and no other has a bias
    };
    struct Layer {
        explicit Layer(int index);

        std::string norm, convolution; // convolution: (headWidth, kernelWidth * headWidth)
    };
    static constexpr const char* norm = "fine_head.norm";
    static constexpr const char* classes = "fine_head.classes";
};
std::vector<TensorForm> fineHeadTensors(const Config& config);

// All tensors of a network, in the order of the reference's parameters.
std::vector<TensorForm> networkTensors(const Config& config);

} // namespace earshot::model
