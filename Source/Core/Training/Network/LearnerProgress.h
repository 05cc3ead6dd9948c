// The state of every training between its steps. Only the learners include it; one thread at a time.
#pragma once

#include "Core/Training/Network/EmbeddingRegression.h"
#include "Core/Training/Network/Learner.h"
#include "Core/Training/Network/Optimiser.h"
#include "Core/Training/Network/TrainerCheckpoint.h"

#include <memory>
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
        if (settings.embeddingWidth > 0)
            embedding = std::make_unique<EmbeddingRegression>(theLayout.config(), settings.embeddingWidth,
                                                              settings.embeddingWeight);
        state.statistics = std::move(statistics);
    }

    const ParameterLayout& layout;
    TrainerSettings settings;
    Optimiser optimiser;
    TrainingState state;
    std::unique_ptr<EmbeddingRegression> embedding; // null without a teacher's embeddings
};

} // namespace earshot::training
