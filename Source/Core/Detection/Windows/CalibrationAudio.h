// Loads weights in any precision. int8 is calibrated on audio that the program makes itself: 40 s of noise,
// tones, sweeps, clicks, bursts and silence at many levels, always the same, through the model's own
// frontend. Any thread.
#pragma once

#include "Core/Model/Weights.h"

#include <memory>
#include <vector>

namespace earshot::detection {

// Makes the windows for calibration, (windowFrames, melBands) in dB each. A model::CalibrationMaker.
std::vector<std::vector<float>> calibrationWindows(const model::Weights& weights);

// Calls model::loadWeights() with calibrationWindows(). int8 also takes the time of a few passes, once for
// all instances.
std::shared_ptr<const model::Weights> loadWeights(const model::ModelSource& source,
                                                  model::Precision precision, const StopToken& stop = {});

} // namespace earshot::detection
