#include "Core/Training/Data/ExampleShape.h"

#include "Core/Frontend/LogMel.h"

#include <cassert>

namespace earshot::training {

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
