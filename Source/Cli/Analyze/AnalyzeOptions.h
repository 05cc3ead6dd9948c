// The options of `earshot analyze`. The command line fills them, the rest reads them.
#pragma once

#include "Cli/EventChoice.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Kept/Activations.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Pictures/RecordingPicture.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

struct AnalyzeOptions : DecidingOptions {
    std::vector<std::string> files;  // also folders and globs; "-" is standard input
    std::optional<std::string> list; // a file that lists more of them
    std::optional<std::string> model;
    detection::QueryChoice queries;
    detection::Mode mode = detection::Mode::automatic;
    std::optional<double> hop;        // seconds
    std::vector<std::string> formats; // names; empty: the default
    bool explain = false;
    std::optional<std::string> output;
    std::optional<pictures::PictureFormat> plot;
    bool overwrite = false; // replace existing files
    // if set, the run is a batch; the options below belong to batches
    std::optional<std::string> outputDirectory;
    std::vector<std::string> joined; // names of formats
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

// `options` must outlive the parsing.
void addAnalyzeOptions(CLI::App& command, AnalyzeOptions& options);

// The two ways to run. Both return an ExitCode; main thread.
// An archive: several recordings at once, into a folder with a journal (Core/Batch/Batch.h).
int analyzeToFolder(const AnalyzeOptions& options, std::vector<batch::Input> inputs);
// One recording after another, each written to standard output or one file as soon as it is done.
int analyzeToStream(const AnalyzeOptions& options, const std::vector<batch::Input>& inputs);

} // namespace earshot::cli
