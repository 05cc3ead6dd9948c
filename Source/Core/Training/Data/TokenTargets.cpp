#include "Core/Training/Data/TokenTargets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace earshot::training {

namespace {

constexpr double enoughSeconds = 0.08;

}

void setTokenTargets(std::span<const Sounding> soundings, const TokenGrid& grid, int classes,
                     std::vector<float>& targets) {
    targets.assign(static_cast<std::size_t>(grid.tokens) * static_cast<std::size_t>(classes), 0.0f);
    const auto enough = static_cast<std::int64_t>(enoughSeconds * grid.sampleRate);
    const std::int64_t end = grid.tokens * grid.tokenSamples;
    for (const auto& [span, label] : soundings) {
        const auto first = std::max<std::int64_t>(span.first, 0), last = std::min(span.last, end);
        if (first >= last) continue;
        const auto needed = std::min(enough, (last - first + 1) / 2);
        for (auto token = first / grid.tokenSamples; token * grid.tokenSamples < last; ++token) {
            const auto begin = token * grid.tokenSamples;
            const auto overlap = std::min(last, begin + grid.tokenSamples) - std::max(first, begin);
            if (overlap >= needed) targets[static_cast<std::size_t>(token * classes + label)] = 1.0f;
        }
    }
}

std::vector<LabelledSpan> annotationsOf(std::span<const Sounding> soundings, int sampleRate,
                                        double gapSeconds) {
    std::map<int, std::vector<Activity>> byLabel;
    for (const auto& [span, label] : soundings) byLabel[label].push_back(span);
    std::vector<LabelledSpan> annotations;
    for (auto& [label, spans] : byLabel)
        for (const auto& [first, last] : merged(std::move(spans), std::llround(gapSeconds * sampleRate)))
            annotations.push_back(
                {static_cast<double>(first) / sampleRate, static_cast<double>(last) / sampleRate, label});
    std::ranges::stable_sort(annotations, {}, &LabelledSpan::onset);
    return annotations;
}

} // namespace earshot::training
