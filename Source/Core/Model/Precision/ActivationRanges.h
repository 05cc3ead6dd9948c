// The ranges of the values that a network's layers read, measured on calibration audio, and the byte scales
// that int8 derives from them. Plain values: any thread.
#pragma once

#include "Core/Tensor/Bytes.h"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace earshot::model {

// Throws earshot::Error unless the values that a model gave are numbers from -largest to largest.
void requireNumbers(std::span<const float> values, float largest = std::numeric_limits<float>::max());

struct ValueRange {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();

    // Throws earshot::Error if values are no numbers, as those of a diverged network, or huge.
    void include(std::span<const float> values);
    void include(const ValueRange& other);
};

// The input ranges of a block's layers, named as in BlockForm.h.
struct BlockRanges {
    std::vector<ValueRange> qkv; // (C)
    ValueRange projection;
    std::vector<ValueRange> expand; // (C)
    ValueRange contract;
};

struct StageRanges {
    std::vector<BlockRanges> blocks;
    std::vector<ValueRange> merging; // (4C): the reduction's input; empty in the last stage
};

using ActivationRanges = std::vector<StageRanges>; // by stage

// Extends C ranges to include rows of C values. Throws as ValueRange::include().
void includeRows(std::vector<ValueRange>& ranges, std::span<const float> rows);
// Extends ranges to include another measurement of the same network.
void include(ActivationRanges& ranges, const ActivationRanges& others);

// Return byte scales for measured ranges. The scales leave room for audio unlike the calibration's, because
// clipping harms more than a coarser step. In channelScales() the channels share a range that fits 95 % of
// them; channels beyond it have their own.
std::vector<tensor::ByteScale> channelScales(std::span<const ValueRange> ranges);
tensor::ByteScale commonScale(const ValueRange& range);
tensor::ByteScale geluScale(const ValueRange& range); // the lower end is GELU's minimum

} // namespace earshot::model
