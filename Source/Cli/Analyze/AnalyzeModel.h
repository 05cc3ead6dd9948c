// The model of `earshot analyze` with its rules: one for all recordings and jobs. Immutable once made: any
// thread.
#pragma once

#include "Cli/Analyze/AnalyzeOptions.h"
#include "Cli/EventChoice.h"
#include "Core/Batch/Journal.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Formats/SqliteDatabase.h"

namespace earshot::cli {

struct AnalyzeModel : detection::ListeningModel {
    EventChoice choice;
    detection::Detector detector;
};

// Throws earshot::Error and UsageError.
AnalyzeModel openModel(const AnalyzeOptions& options);

// Reads the whole model file.
formats::DatabaseModel describeModel(const AnalyzeModel& model);
// Everything that results depend on besides the recordings.
batch::Fingerprint fingerprint(const AnalyzeOptions& options, const AnalyzeModel& model,
                               const formats::DatabaseModel& described);
// Writers of all probabilities, one for each kind that --keep-activations asks for. described:
// describeModel().
batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const AnalyzeModel& model,
                                     const formats::DatabaseModel& described);

} // namespace earshot::cli
