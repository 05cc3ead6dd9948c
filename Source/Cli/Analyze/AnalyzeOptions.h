// What `earshot analyze` was asked for. Filled by the command line, read by the rest.
#pragma once

#include "Cli/Analyze/ListeningModel.h"
#include "Cli/DecidingOptions.h"
#include "Core/Batch/Shard.h"
#include "Core/Detection/Kept/Activations.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Pictures/RecordingPicture.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace earshot::cli {

struct AnalyzeOptions : DecidingOptions {
    std::vector<std::string> files;  // folders and globs too; "-" is standard input
    std::optional<std::string> list; // file of more of them
    std::optional<std::string> model;
    QueryOptions queries;
    detection::Mode mode = detection::Mode::automatic;
    std::optional<double> hop;        // seconds
    std::vector<std::string> formats; // names; empty: the default
    bool explain = false;
    std::optional<std::string> output;
    std::optional<pictures::PictureFormat> plot;
    bool overwrite = false;                     // files that are there
    std::optional<std::string> outputDirectory; // makes it a batch, as do those that follow
    std::vector<std::string> joined;            // names of formats
    std::vector<detection::ActivationKind> keepActivations;
    std::optional<int> jobs;
    std::optional<batch::Shard> shard;
    bool restart = false;
    bool forgetMissing = false;
    int threads = 1;
    bool threadsGiven = false;
    model::Precision precision = model::Precision::automatic;
    bool quiet = false;
};

// Declares them on the subcommand; `options` must outlive the parsing.
void declareAnalyzeOptions(CLI::App& command, AnalyzeOptions& options);

} // namespace earshot::cli
