// A stopped training run as a file: safetensors with the parameter block, its moments and averages, the band
// statistics, and in the metadata the step, the settings and what the caller adds. One thread at a time.
#pragma once

#include "Core/Training/Network/Optimiser.h"
#include "Core/Training/Run/Learner.h"

#include <filesystem>
#include <map>
#include <string>

namespace earshot::training {

struct TrainingState {
    std::int64_t step = 0; // steps done
    BandStatistics statistics;
};

// Metadata keys that belong to this file, "earshot.training...".
void saveTraining(const std::filesystem::path& file, const ParameterLayout& layout,
                  const TrainerSettings& settings, const Optimiser& optimiser, const TrainingState& state,
                  std::map<std::string, std::string> metadata);

// Sets the optimiser's blocks. Throws earshot::Error when the file is damaged, or of another layout or
// settings that change the result (naming the first of them).
TrainingState loadTraining(const std::filesystem::path& file, const ParameterLayout& layout,
                           const TrainerSettings& settings, Optimiser& optimiser);

} // namespace earshot::training
