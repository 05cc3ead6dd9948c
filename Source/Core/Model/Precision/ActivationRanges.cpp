#include "Core/Model/Precision/ActivationRanges.h"

#include "Core/Base/Error.h"

#include <algorithm>
#include <cmath>

namespace earshot::model {

namespace {

constexpr float room = 1.5f;      // factor of measured ranges
constexpr double sharedBy = 0.95; // of the channels
constexpr float minGelu = -0.17f; // GELU's minimum
// Far beyond the activations of any useful network. Scales of larger ones could overflow.
constexpr float maxActivation = 1e30f;

void includeEach(std::vector<ValueRange>& ranges, const std::vector<ValueRange>& others) {
    for (std::size_t c = 0; c < ranges.size(); ++c) ranges[c].include(others[c]);
}

} // namespace

void requireNumbers(std::span<const float> values, float largest) {
    // A NaN fails as well.
    if (!std::ranges::all_of(values, [largest](float value) { return std::abs(value) <= largest; }))
        throw Error(
            "the model gave values that are no numbers: its file is damaged, or its training diverged; "
            "use another file");
}

void ValueRange::include(std::span<const float> values) {
    requireNumbers(values, maxActivation);
    const auto [least, most] = std::ranges::minmax(values);
    include(ValueRange{least, most});
}

void ValueRange::include(const ValueRange& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
}

void includeRows(std::vector<ValueRange>& ranges, std::span<const float> rows) {
    requireNumbers(rows, maxActivation);
    const std::size_t channels = ranges.size();
    for (std::size_t first = 0; first < rows.size(); first += channels)
        for (std::size_t c = 0; c < channels; ++c) {
            ranges[c].low = std::min(ranges[c].low, rows[first + c]);
            ranges[c].high = std::max(ranges[c].high, rows[first + c]);
        }
}

void include(ActivationRanges& ranges, const ActivationRanges& others) {
    for (std::size_t stage = 0; stage < ranges.size(); ++stage) {
        for (std::size_t block = 0; block < ranges[stage].blocks.size(); ++block) {
            BlockRanges& known = ranges[stage].blocks[block];
            const BlockRanges& other = others[stage].blocks[block];
            includeEach(known.qkv, other.qkv);
            known.projection.include(other.projection);
            includeEach(known.expand, other.expand);
            known.contract.include(other.contract);
        }
        includeEach(ranges[stage].merging, others[stage].merging);
    }
}

std::vector<tensor::ByteScale> channelScales(std::span<const ValueRange> ranges) {
    std::vector<float> lows, highs; // as distances from 0
    for (const auto& range : ranges) {
        lows.push_back(std::max(-range.low, 0.0f));
        highs.push_back(std::max(range.high, 0.0f));
    }
    const auto shared = [](std::vector<float> distances) {
        const auto at = static_cast<std::ptrdiff_t>(sharedBy * static_cast<double>(distances.size() - 1));
        std::nth_element(distances.begin(), distances.begin() + at, distances.end());
        return distances[static_cast<std::size_t>(at)];
    };
    const float low = shared(lows), high = shared(highs);
    std::vector<tensor::ByteScale> scales;
    for (std::size_t c = 0; c < ranges.size(); ++c)
        scales.push_back(
            tensor::ByteScale::over(-room * std::max(lows[c], low), room * std::max(highs[c], high)));
    return scales;
}

tensor::ByteScale commonScale(const ValueRange& range) {
    return tensor::ByteScale::over(room * std::min(range.low, 0.0f), room * std::max(range.high, 0.0f));
}

tensor::ByteScale geluScale(const ValueRange& range) {
    return tensor::ByteScale::over(minGelu, room * std::max(range.high, 0.0f));
}

} // namespace earshot::model
