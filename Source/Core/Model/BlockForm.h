// The tensors of a network, described once: their names in the reference implementation, their shapes, and
// what they are to training and to int8. Whoever reads, writes, counts, trains or makes up weights asks here.
//
// A block is Swin's (Liu et al. 2021, equation 3), with norms before its layers and scores that are dot
// products plus a table of biases by relative position (section 3.2):
//   x += projection(attention(qkv(norm1(x))));  x += contract(gelu(expand(norm2(x))))
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
    bias,      // of one: (outputs)
    gain,      // of a norm: (channels)
    shift,     // likewise
    table,     // what is added by position
    statistic, // measured or fixed, not trained
};

struct TensorForm {
    std::string name; // "layers.0.blocks.1.attn.qkv.weight"; files may have a prefix before it
    tensor::Shape shape;
    TensorRole role = TensorRole::matrix;
    int stage = -1; // -1: band norm and patch embedding; then encoder stages; stage count: final norm, head
    bool quantisable = false; // int8 makes bytes of it
    bool optional = false;    // a file may do without

    bool trained() const { return role != TensorRole::statistic; }
    bool decays() const { return role == TensorRole::matrix; } // by weight decay
    bool ofHead() const;                                       // what fine-tuning replaces
};

// One block's layers by their names.
struct BlockForm {
    BlockForm(int stage, int index);

    std::string norm1, qkv, positionTable, projection, norm2, expand, contract;
};
std::vector<TensorForm> blockTensors(const Config& config, int stage, int index);

// The patch merging behind a stage: norm over four tokens' channels, then reduction without bias.
struct MergingForm {
    explicit MergingForm(int stage);

    std::string norm, reduction;
};
std::vector<TensorForm> mergingTensors(const Config& config, int stage);

// All that a network has, in the order of the reference's parameters.
std::vector<TensorForm> networkTensors(const Config& config);

} // namespace earshot::model
