// `earshot analyze` without a folder for its results: one recording after the other, to standard output or
// one file, as they are done. Main thread.
#pragma once

#include "Cli/Analyze/AnalyzeModel.h"
#include "Cli/Analyze/AnalyzeOptions.h"
#include "Core/Batch/Inputs.h"

#include <vector>

namespace earshot::cli {

// Returns an ExitCode.
int analyzeToStream(const AnalyzeOptions& options, const std::vector<batch::Input>& inputs);

} // namespace earshot::cli
