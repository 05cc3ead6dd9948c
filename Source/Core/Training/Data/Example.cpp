#include "Core/Training/Data/Example.h"

#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

namespace earshot::training {

namespace {

// The finaliser of splitmix64 (Steele, Lea and Flood 2014) after its step: every bit of the state moves every
// bit of the value.
std::uint64_t mixed(std::uint64_t state) {
    state += 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

} // namespace

std::uint64_t seedFor(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) {
    return mixed(mixed(mixed(seed) ^ purpose) ^ index);
}

ExampleShape::ExampleShape(const model::Config& config)
    : frontend(detection::logMelSettings(config))
    , windowFrames(config.windowFrames())
    , framesPerToken(config.framesPerToken()) {}

void extractWindow(const ExampleShape& shape, frontend::LogMel& extractor, std::span<const float> samples,
                   std::vector<float>& logMel) {
    assert(static_cast<std::int64_t>(samples.size()) == shape.windowSamples());
    logMel.clear();
    extractor.reset();
    extractor.push(samples, logMel);
    extractor.finish(logMel);
    // The frame centred on the very end belongs to the next window.
    logMel.resize(static_cast<std::size_t>(shape.windowFrames) *
                  static_cast<std::size_t>(shape.frontend.melBands));
}

namespace {

constexpr double enoughSeconds = 0.08; // in a token that is twice as long, or longer

}

void setTokenTargets(std::span<const Sounding> soundings, const TokenGrid& grid, int classes,
                     std::vector<float>& targets) {
    targets.assign(static_cast<std::size_t>(grid.tokens) * static_cast<std::size_t>(classes), 0.0f);
    const auto enough =
        std::min(static_cast<std::int64_t>(enoughSeconds * grid.sampleRate), grid.tokenSamples / 2);
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
