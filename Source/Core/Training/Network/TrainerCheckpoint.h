// A stopped training run as a file: safetensors with the parameter block, its moments and averages, and the
// band statistics. The metadata hold the step, the settings and what the caller adds. One thread at a time.
#pragma once

#include "Core/Training/Network/EmbeddingRegression.h"
#include "Core/Training/Network/Learner.h"
#include "Core/Training/Network/Optimiser.h"

#include <filesystem>
#include <map>
#include <string>

namespace earshot::training {

struct TrainingState {
    std::int64_t step = 0; // steps that are done
    BandStatistics statistics;
};

// embedding: may be null. The metadata keys of this file begin with "earshot.training".
void saveTraining(const std::filesystem::path& file, const ParameterLayout& layout,
                  const TrainerSettings& settings, const Optimiser& optimiser, const TrainingState& state,
                  EmbeddingRegression* embedding, std::map<std::string, std::string> metadata);

// The settings that change the result, as a JSON object.
std::string settingsText(const TrainerSettings& settings);

// Throws earshot::Error, which names the first setting that differs, unless a checkpoint's settings are the
// wanted ones. Both are JSON objects.
void requireSameSettings(const std::filesystem::path& checkpoint, const std::string& saved,
                         const std::string& wanted);

// Sets the optimiser's blocks and those of `embedding`, which may be null. Throws earshot::Error when the
// file is damaged, or has another layout or settings that change the result (the message names the first
// one).
TrainingState loadTraining(const std::filesystem::path& file, const ParameterLayout& layout,
                           const TrainerSettings& settings, Optimiser& optimiser,
                           EmbeddingRegression* embedding);

} // namespace earshot::training
