// The real network behind the detector's TokenModel, and the log-mel frontend its weights were trained with.
// The model belongs to one thread at a time; weights are shared.
#pragma once

#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Model/Weights.h"

#include <memory>

namespace earshot::detection {

std::unique_ptr<TokenModel> makeNetworkTokenModel(std::shared_ptr<const model::Weights> weights);

// With the checkpoint's own mel matrix where it has one.
frontend::LogMelSettings logMelSettings(const model::Weights& weights);

struct FrequencyRange {
    double lowest = 0.0, highest = 0.0; // Hz
};
// What the model hears of a recording. Microsoft CLAP's matrix was computed for 32 kHz and is used at 44.1
// kHz, where its bands lie higher.
FrequencyRange heardRange(const model::Weights& weights);

} // namespace earshot::detection
