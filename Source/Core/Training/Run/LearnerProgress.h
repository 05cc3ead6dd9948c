// The state of every training between its steps. Only the learners include it; one thread at a time.
#pragma once

#include "Core/Training/Network/Optimiser.h"
#include "Core/Training/Run/Learner.h"
#include "Core/Training/Run/TrainerCheckpoint.h"

#include <cassert>
#include <utility>

namespace earshot::training {

struct LearnerProgress {
    // Rounds the batch up to whole passes of all threads.
    LearnerProgress(const ParameterLayout& theLayout, TrainerSettings theSettings,
                    std::span<const float> initial, BandStatistics statistics)
        : layout(theLayout)
        , settings(std::move(theSettings))
        , optimiser(theLayout, initial) {
        assert(settings.threads >= 1 && settings.microBatch >= 1 && settings.batch >= 1);
        const int unit = settings.threads * settings.microBatch;
        settings.batch = (settings.batch + unit - 1) / unit * unit;
        state.statistics = std::move(statistics);
    }

    const ParameterLayout& layout;
    TrainerSettings settings;
    Optimiser optimiser;
    TrainingState state;
};

} // namespace earshot::training
