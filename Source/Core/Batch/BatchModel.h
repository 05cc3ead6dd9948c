// The model and the rules of a batch, as the fingerprint of its results. The command line and the app share
// it, so that either goes on where the other stopped. Pure functions: any thread.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Batch/Journal.h"
#include "Core/Detection/Detector.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Formats/SqliteDatabase.h"

#include <string>

namespace earshot::batch {

// The rules as a fingerprint names them. At these defaults they are the model's own.
struct RuleNames {
    std::string threshold = "default";
    std::string release = "default";
    std::string classThresholds = "default"; // "Dog=0.3, Rain=0.5", sorted
    std::string confidence = "none";
    std::string sounds = "all"; // that are reported
    double minDuration = 0.0;   // seconds
    double mergeGap = 0.0;      // seconds
    int median = 1;             // columns
};

// How a threshold is named that moves those of the model with it (detection::RuleChoice).
std::string nameOfThreshold(float common);

// Returns the model's name, hash, licence and labels. Reads the whole model file. Throws earshot::Error, or
// Stopped after a stop request.
formats::DatabaseModel describeModel(const detection::ListeningModel& model, const StopToken& stop = {});

// Returns everything that results depend on, besides the recordings. described: describeModel().
Fingerprint fingerprint(const detection::ListeningModel& model, const formats::DatabaseModel& described,
                        const detection::DetectorOptions& how, const RuleNames& rules);

} // namespace earshot::batch
