// What values pass between a network's layers, as measured on calibration audio, and the bytes that int8
// makes of them. Plain values: any thread.
#pragma once

#include "Core/Tensor/Bytes.h"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace earshot::model {

struct ValueRange {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();

    void include(std::span<const float> values);
    void include(const ValueRange& other);
};

// Of what a block's layers read, by the layer (BlockForm.h).
struct BlockRanges {
    std::vector<ValueRange> qkv; // (C)
    ValueRange projection;
    std::vector<ValueRange> expand; // (C)
    ValueRange contract;
};

struct StageRanges {
    std::vector<BlockRanges> blocks;
    std::vector<ValueRange> merging; // (4C), what the reduction reads; empty after the last stage
};

using ActivationRanges = std::vector<StageRanges>; // by stage

// Grows (C) ranges to hold rows of C values.
void includeRows(std::vector<ValueRange>& ranges, std::span<const float> rows);
// What either of two measurements of one network found.
void include(ActivationRanges& ranges, const ActivationRanges& others);

// Bytes for values that were in these ranges, with room for audio unlike the calibration's: what is cut off
// harms more than a coarser step. Channels share a range that holds nearly all of them; the few that reach
// further have their own.
std::vector<tensor::ByteScale> channelScales(std::span<const ValueRange> ranges);
tensor::ByteScale commonScale(const ValueRange& range);
tensor::ByteScale geluScale(const ValueRange& range); // whose lower end is known

} // namespace earshot::model
