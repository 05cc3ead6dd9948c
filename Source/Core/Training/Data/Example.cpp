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

// Calls covered(token) for each token that a stretch covers for long enough.
template <typename Covered>
void forCoveredTokens(const Activity& span, const TokenGrid& grid, Covered&& covered) {
    const auto enough =
        std::min(static_cast<std::int64_t>(enoughSeconds * grid.sampleRate), grid.tokenSamples / 2);
    const std::int64_t end = grid.tokens * grid.tokenSamples;
    const auto first = std::max<std::int64_t>(span.first, 0), last = std::min(span.last, end);
    if (first >= last) return;
    const auto needed = std::min(enough, (last - first + 1) / 2);
    for (auto token = first / grid.tokenSamples; token * grid.tokenSamples < last; ++token) {
        const auto begin = token * grid.tokenSamples;
        const auto overlap = std::min(last, begin + grid.tokenSamples) - std::max(first, begin);
        if (overlap >= needed) covered(static_cast<int>(token));
    }
}

// The target of a class while a sound of `label` is there alone.
float targetOf(int c, int label, const TeacherRow* teacher, float softShare) {
    const float hard = c == label ? 1.0f : 0.0f;
    const bool isKnown = teacher != nullptr && teacher->soft != nullptr && teacher->soft[c] >= 0.0f;
    const float share = label == teacherOnly ? 1.0f : softShare;
    return isKnown ? hard + share * (teacher->soft[c] - hard) : hard;
}

} // namespace

void setTokenTargets(std::span<const Sounding> soundings, const TokenGrid& grid, int classes,
                     std::vector<float>& targets, float softShare) {
    targets.assign(static_cast<std::size_t>(grid.tokens) * static_cast<std::size_t>(classes), 0.0f);
    std::vector<float> own(static_cast<std::size_t>(classes));
    for (const auto& [span, label, teachers] : soundings) {
        for (int c = 0; c < classes; ++c) {
            float& target = own[static_cast<std::size_t>(c)];
            target = targetOf(c, label, teachers[0], softShare);
            if (teachers[1] != nullptr) target = std::max(target, targetOf(c, label, teachers[1], softShare));
        }
        forCoveredTokens(span, grid, [&](int token) {
            float* row = targets.data() + static_cast<std::ptrdiff_t>(token) * classes;
            for (std::size_t c = 0; c < own.size(); ++c) row[c] = std::max(row[c], own[c]);
        });
    }
}

void setTaught(std::span<const Sounding> soundings, const TokenGrid& grid, std::vector<TaughtSound>& taught) {
    taught.clear();
    for (const auto& [span, label, teachers] : soundings) {
        if (teachers == Teachers{}) continue;
        auto sound = std::ranges::find(taught, teachers, &TaughtSound::teachers);
        if (sound == taught.end()) sound = taught.insert(sound, {.teachers = teachers, .steps = {}});
        forCoveredTokens(span, grid, [&](int token) { sound->steps.push_back(token); });
    }
    for (auto& [teachers, steps] : taught) {
        std::ranges::sort(steps);
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    }
}

std::vector<LabelledSpan> annotationsOf(std::span<const Sounding> soundings, int sampleRate,
                                        double gapSeconds) {
    std::map<int, std::vector<Activity>> byLabel;
    for (const auto& sounding : soundings)
        if (sounding.label >= 0) byLabel[sounding.label].push_back(sounding.span);
    std::vector<LabelledSpan> annotations;
    for (auto& [label, spans] : byLabel)
        for (const auto& [first, last] : merged(std::move(spans), std::llround(gapSeconds * sampleRate)))
            annotations.push_back(
                {static_cast<double>(first) / sampleRate, static_cast<double>(last) / sampleRate, label});
    std::ranges::stable_sort(annotations, {}, &LabelledSpan::onset);
    return annotations;
}

} // namespace earshot::training
