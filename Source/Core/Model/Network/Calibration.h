// Runs a network in float32 over calibration audio and measures the ranges of its activations for int8.
// Any thread; the windows run at once on the available cores. The result does not depend on their number.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Model/Precision/ActivationRanges.h"
#include "Core/Model/Weights.h"

#include <span>
#include <vector>

namespace earshot::model {

// weights: in float32. windows: log-mel frames in dB, (windowFrames, melBands) each. Throws earshot::Error if
// activations are no numbers, and Stopped between two passes after a stop request.
ActivationRanges measureActivations(const Weights& weights, std::span<const std::vector<float>> windows,
                                    const StopToken& stop = {});

} // namespace earshot::model
