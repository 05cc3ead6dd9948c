// Runs a network in float32 over calibration audio and notes what passes between its layers: what int8 needs
// to know. A window a thread on the available cores, for this once; the outcome does not depend on how many.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Model/Precision/ActivationRanges.h"
#include "Core/Model/Weights.h"

#include <span>
#include <vector>

namespace earshot::model {

// windows: log-mel frames in dB, (windowFrames, melBands) each; weights in float32. Throws Stopped between
// two passes once it is asked to stop.
ActivationRanges measureActivations(const Weights& weights, std::span<const std::vector<float>> windows,
                                    const StopToken& stop = {});

} // namespace earshot::model
