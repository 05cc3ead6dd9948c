// The options of `earshot analyze`. The command line fills them; everything else reads them.
#pragma once

#include "Cli/EventChoice.h"
#include "Cli/Options.h"
#include "Cli/QueryOptions.h"
#include "Core/Audio/RecordingStart.h"
#include "Core/Batch/Inputs.h"
#include "Core/Detection/Kept/Activations.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Precision/Precision.h"
#include "Core/Pictures/RecordingPicture.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

struct AnalyzeOptions : DecidingOptions {
    std::vector<std::string> files;  // files, folders and glob patterns; "-" is standard input
    std::optional<std::string> list; // a file that lists more recordings
    ModelOptions model;
    QueryOptions queries;
    audio::ReadOptions reading;
    detection::Mode mode = detection::Mode::automatic;
    std::optional<double> hop;        // seconds
    bool thorough = false;            // every window runs
    std::vector<std::string> formats; // names; empty: the default
    std::optional<int> top;           // sounds in a row for each recording, in place of events
    bool explain = false;
    audio::Starts starts;    // of the recordings
    bool continuous = false; // files of one recorder continue each other
    std::optional<std::string> output;
    std::optional<pictures::PictureFormat> plot;
    bool overwrite = false; // replaces existing files
    // Makes it a batch. The options up to forgetMissing are for batches.
    std::optional<std::string> outputDirectory;
    std::optional<std::string> base; // the folder to which the names of results are relative
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
// The options of how audio is analysed: mode, hop, reading, threads, precision. whyNotEach: as
// addReadOptions().
OptionGroup addListeningOptions(CLI::App& command, AnalyzeOptions& options, const char* whyNotEach);
void addAnalyzeOptions(CLI::App& command, AnalyzeOptions& options);

// Both functions analyse the inputs and return an ExitCode. Main thread.
// Analyses several recordings at once into a folder with a journal (Core/Batch/Batch.h).
int analyzeToFolder(const AnalyzeOptions& options, batch::Inputs inputs);
// Analyses one recording after the other, and writes each to standard output or one file as soon as it is
// done.
int analyzeToStream(const AnalyzeOptions& options, const batch::Inputs& inputs);

} // namespace earshot::cli
