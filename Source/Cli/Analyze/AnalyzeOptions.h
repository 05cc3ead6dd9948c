// What `earshot analyze` was asked for. Filled by the command line, read by the rest.
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
    std::vector<std::string> files;  // folders and globs too; "-" is standard input
    std::optional<std::string> list; // file of more of them
    std::optional<std::string> model;
    detection::QueryChoice queries;
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

// `options` must outlive the parsing.
void addAnalyzeOptions(CLI::App& command, AnalyzeOptions& options);

// What is done with them. Both return an ExitCode; main thread.
// An archive, several recordings at once, into a folder that tells what is done (Core/Batch/Batch.h).
int analyzeToFolder(const AnalyzeOptions& options, std::vector<batch::Input> inputs);
// One recording after the other, to standard output or one file, as they are done.
int analyzeToStream(const AnalyzeOptions& options, const std::vector<batch::Input>& inputs);

} // namespace earshot::cli
