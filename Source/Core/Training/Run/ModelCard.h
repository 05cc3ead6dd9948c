// The page beside a model that describes it: classes and their data, licences and authors, settings, scores.
// Markdown. Pure functions: any thread.
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
    const TrainerSettings* trainer = nullptr; // the settings in use
    const DataSet* data = nullptr;
    const ClipStore* store = nullptr;
    std::string teacher; // what was learnt from one (TeacherTable::summary()); empty: none
    model::Config config;
    std::int64_t parameters = 0;
    std::uintmax_t bytes = 0; // of the model file
    std::string licence;
    std::string imageModel; // the name of the image model that it started from; empty for others
    int knownClasses = 0;   // how many of its classes the starting model knew
    int epochs = 0, bestEpoch = 0;
    std::int64_t examples = 0;
    double seconds = 0.0; // of training
    std::optional<FinalScores> scores;
};

std::string modelCard(const CardFacts& facts);
std::string describeTime(double seconds); // "90 seconds", "45 minutes", "9.5 hours"

// What a stopped run stores besides its network: the log so far, the best model, the time spent. It stands in
// the metadata of the checkpoint. A plain value.
struct RunNotes {
    int epochs = 0;          // in all
    std::string fingerprint; // of the data
    std::string options;     // as optionsOf() gives them; empty: not noted
    std::vector<LogRow> log;
    double bestScore = 0.0;
    int bestEpoch = 0;         // 0: no model was stored yet
    std::string modelDigest;   // of its weights (KeptModel.h); empty: not noted
    double seconds = 0.0;      // so far
    double lossSum = 0.0;      // over the steps of the current epoch
    double embeddingSum = 0.0; // likewise, of the embeddings' squared errors
    std::int64_t lossSteps = 0;

    std::map<std::string, std::string> asMetadata() const;
    // Throws earshot::Error if the file holds no notes.
    static RunNotes read(const std::filesystem::path& checkpoint);
};

} // namespace earshot::training
