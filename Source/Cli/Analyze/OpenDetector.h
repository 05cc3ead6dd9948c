// From the options of `earshot analyze` and `earshot listen` to the detector that they ask for.
#pragma once

#include "Cli/Analyze/AnalyzeOptions.h"
#include "Core/Detection/Detector.h"

namespace earshot::cli {

// Loads the model that the options name, and what it is to listen for. Throws earshot::Error and UsageError.
detection::Detector openDetector(const AnalyzeOptions& options);

} // namespace earshot::cli
