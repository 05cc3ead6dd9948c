// `earshot analyze --keep-activations`: the option, and what it adds to a batch's files. Main thread.
#pragma once

#include "Cli/Analyze/AnalyzeModel.h"
#include "Cli/Analyze/AnalyzeOptions.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Kept/Activations.h"

#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace earshot::cli {

// `kinds` must outlive the parsing; stays empty unless given.
CLI::Option* addKeepActivationsOption(CLI::App& command, std::vector<detection::ActivationKind>& kinds);

// One file for each recording and kind. described: describeModel().
batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const AnalyzeModel& model,
                                     const formats::DatabaseModel& described);

} // namespace earshot::cli
