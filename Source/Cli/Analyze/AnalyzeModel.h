// The loaded model of `earshot analyze` with the rules of the options. One serves all recordings and jobs.
// Immutable once made: any thread.
#pragma once

#include "Cli/Analyze/AnalyzeOptions.h"
#include "Cli/EventChoice.h"
#include "Core/Batch/BatchModel.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/SqliteDatabase.h"

namespace earshot::cli {

struct AnalyzeModel : detection::ListeningModel {
    EventChoice choice;
    detection::Detector detector;
};

// Loads the model that the options name. Throws earshot::Error and UsageError.
AnalyzeModel openModel(const AnalyzeOptions& options);

// Returns everything that results depend on, besides the recordings. described: batch::describeModel().
batch::Fingerprint fingerprint(const AnalyzeOptions& options, const AnalyzeModel& model,
                               const formats::DatabaseModel& described);
// Returns the files of all probabilities, one kind for each that --keep-activations names. described:
// batch::describeModel().
batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const AnalyzeModel& model,
                                     const formats::DatabaseModel& described);

} // namespace earshot::cli
