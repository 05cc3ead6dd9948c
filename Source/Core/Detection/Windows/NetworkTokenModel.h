// Wraps the real network as the detector's TokenModel, and gives the log-mel frontend that the weights were
// trained with. One thread at a time uses a model; models share the weights.
#pragma once

#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Frontend/LogMelSettings.h"
#include "Core/Model/Weights.h"

#include <memory>

namespace earshot::detection {

std::unique_ptr<TokenModel> makeNetworkTokenModel(std::shared_ptr<const model::Weights> weights);

// TokenModel::repeatsShortAudio() of the weights' token models: CLAP models were trained so, Microsoft's and
// LAION's.
bool repeatsShortAudio(const model::Weights& weights);

frontend::LogMelSettings logMelSettings(const model::Config& config);
// Uses the checkpoint's own mel matrix if it has one, and heardRange().
frontend::LogMelSettings logMelSettings(const model::Weights& weights);

struct FrequencyRange {
    double lowest = 0.0, highest = 0.0; // Hz
};
// The frequencies that the model receives: those of its config, or of its own mel matrix. Microsoft CLAP's
// matrix was computed for 32 kHz and is used at 44.1 kHz, so its bands lie higher. A matrix that agrees with
// neither rate tells the lowest and highest frequency that it weighs.
FrequencyRange heardRange(const model::Weights& weights);

} // namespace earshot::detection
