// `earshot analyze --output-dir`: an archive, several recordings at once, into a folder that tells what is
// done (Core/Batch/Batch.h). Main thread.
#pragma once

#include "Cli/Analyze/AnalyzeOptions.h"
#include "Core/Batch/Inputs.h"

#include <vector>

namespace earshot::cli {

// Returns an ExitCode.
int analyzeToFolder(const AnalyzeOptions& options, std::vector<batch::Input> inputs);

} // namespace earshot::cli
