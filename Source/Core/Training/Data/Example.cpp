#include "Core/Training/Data/Example.h"

#include "Core/Frontend/LogMel.h"

#include <cassert>

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
    : frontend{.sampleRate = config.sampleRate,
               .fftSize = config.fftSize,
               .hopSize = config.hopSize,
               .melBands = config.melBands,
               .lowHz = config.lowHz,
               .highHz = config.highHz,
               .scale = config.htkMelScale ? frontend::MelScale::htk : frontend::MelScale::slaney,
               .filters = {}}
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

} // namespace earshot::training
