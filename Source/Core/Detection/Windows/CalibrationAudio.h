// Loads weights in any precision. int8 is calibrated on audio that the program makes itself: half a minute of
// noise, tones, sweeps, clicks, bursts and silence at many levels, the same every time, through the model's
// own frontend. Any thread.
#pragma once

#include "Core/Model/Weights.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace earshot::detection {

// A model::CalibrationMaker.
std::vector<std::vector<float>> calibrationWindows(const model::Weights& weights);

// model::loadWeights() with that maker. int8 takes the time of some more passes, once for all instances.
std::shared_ptr<const model::Weights> loadWeights(const std::filesystem::path& file,
                                                  model::Precision precision, const StopToken& stop = {});

} // namespace earshot::detection
