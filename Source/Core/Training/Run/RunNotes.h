// What a stopped run remembers beside its network: the log so far, the best model, how long it took. Kept in
// the metadata of the checkpoint. A plain value.
#pragma once

#include "Core/Training/Run/TrainingLog.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace earshot::training {

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
