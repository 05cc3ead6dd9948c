// The state of every training between its steps. Only the learners include it; one thread at a time.
#pragma once

#include "Core/Training/Network/Optimiser.h"
#include "Core/Training/Run/Learner.h"
#include "Core/Training/Run/TrainerCheckpoint.h"

#include <utility>

namespace earshot::training {

struct LearnerProgress {
    // As TrainerSettings::completeBatch().
    LearnerProgress(const ParameterLayout& theLayout, TrainerSettings theSettings,
                    std::span<const float> initial, BandStatistics statistics)
        : layout(theLayout)
        , settings(std::move(theSettings))
        , optimiser(theLayout, initial) {
        settings.completeBatch();
        state.statistics = std::move(statistics);
    }

    const ParameterLayout& layout;
    TrainerSettings settings;
    Optimiser optimiser;
    TrainingState state;
};

} // namespace earshot::training
