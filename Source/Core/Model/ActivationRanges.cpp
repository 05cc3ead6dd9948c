#include "Core/Model/ActivationRanges.h"

#include <algorithm>

namespace earshot::model {

namespace {

constexpr float room = 1.5f;
constexpr double sharedBy = 0.95; // of the channels
constexpr float leastGelu = -0.17f;

} // namespace

void ValueRange::include(std::span<const float> values) {
    const auto [least, most] = std::ranges::minmax(values);
    low = std::min(low, least);
    high = std::max(high, most);
}

void includeRows(std::vector<ValueRange>& ranges, std::span<const float> rows) {
    const std::size_t channels = ranges.size();
    for (std::size_t first = 0; first < rows.size(); first += channels)
        for (std::size_t c = 0; c < channels; ++c) {
            ranges[c].low = std::min(ranges[c].low, rows[first + c]);
            ranges[c].high = std::max(ranges[c].high, rows[first + c]);
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
    return tensor::ByteScale::over(leastGelu, room * std::max(range.high, 0.0f));
}

} // namespace earshot::model
