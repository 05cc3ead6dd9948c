// What an example is made for: the log-mel frontend and the window of a model. A plain value: any thread.
#pragma once

#include "Core/Frontend/LogMelSettings.h"
#include "Core/Model/Config.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::frontend {
class LogMel;
}

namespace earshot::training {

struct ExampleShape {
    // Converts: every place that wants a shape takes a model's configuration.
    ExampleShape(const model::Config& config); // NOLINT(google-explicit-constructor)

    frontend::LogMelSettings frontend; // set `filters` to a checkpoint's own matrix when it has one
    int windowFrames = 1024;
    int framesPerToken = 32;

    int tokens() const { return windowFrames / framesPerToken; }
    std::int64_t windowSamples() const { return std::int64_t{windowFrames} * frontend.hopSize; }
    std::int64_t tokenSamples() const { return std::int64_t{framesPerToken} * frontend.hopSize; }
};

// Sets logMel to the first windowFrames frames, (windowFrames, melBands), of a window's samples.
// `extractor` has shape.frontend and is reset.
void extractWindow(const ExampleShape& shape, frontend::LogMel& extractor, std::span<const float> samples,
                   std::vector<float>& logMel);

} // namespace earshot::training
