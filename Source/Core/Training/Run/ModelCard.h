// The page beside a model that says what it is: classes and what they were learnt from, licences and authors,
// settings, scores. Markdown. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Run/FinalScoring.h"
#include "Core/Training/Run/RunSettings.h"
#include "Core/Training/Run/TrainingLog.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

// What a stopped run remembers beside its network: the log so far, the best model, how long it took. Kept in
// the metadata of the checkpoint. A plain value.
struct RunNotes {
    int epochs = 0;          // in all
    std::string fingerprint; // of the data
    std::vector<LogRow> log;
    double bestScore = 0.0;
    int bestEpoch = 0;    // 0: no model was kept yet
    double seconds = 0.0; // spent so far
    double lossSum = 0.0; // of the steps of the epoch under way
    std::int64_t lossSteps = 0;

    std::map<std::string, std::string> asMetadata() const;
    // Throws earshot::Error when the file holds none.
    static RunNotes read(const std::filesystem::path& checkpoint);
};

} // namespace earshot::training
