// The page beside a model that says what it is: classes and what they were learnt from, licences and authors,
// settings, scores. Markdown. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Run/FinalScoring.h"
#include "Core/Training/Run/RunSettings.h"

#include <cstdint>
#include <optional>
#include <string>

namespace earshot::training {

struct CardFacts {
    std::string title;
    const RunSettings* settings = nullptr;
    const TrainerSettings* trainer = nullptr; // as used
    const DataSet* data = nullptr;
    const ClipStore* store = nullptr;
    model::Config config;
    std::int64_t parameters = 0;
    std::uintmax_t bytes = 0; // of the model file
    std::string licence;
    int knownClasses = 0; // of its classes, those of the model it started from
    int epochs = 0, bestEpoch = 0;
    std::int64_t examples = 0;
    double seconds = 0.0; // of training
    std::optional<FinalScores> scores;
};

std::string modelCard(const CardFacts& facts);

} // namespace earshot::training
