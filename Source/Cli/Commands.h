// The subcommands of `earshot`. Each declares its options on the program, and runs if the user chose it.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace earshot::cli {

struct Command {
    CLI::App* options; // owned by the program
    std::function<int()> run;
};

Command makeAnalyzeCommand(CLI::App& program);  // says what sounds when in recordings
Command makeEmbedCommand(CLI::App& program);    // writes recordings as vectors
Command makeEvaluateCommand(CLI::App& program); // scores a model on labelled recordings
Command makeEventsCommand(CLI::App& program);   // makes events from kept activations
Command makeForwardCommand(CLI::App& program);  // writes one pass as the reference does it
Command makeInfoCommand(CLI::App& program);     // describes a model
Command makeMergeCommand(CLI::App& program);    // joins the shards of a batch
// Learns sounds from labelled recordings. commandLine: as the user typed it, for the model's card.
Command makeTrainCommand(CLI::App& program, const std::string& commandLine);

// The arguments in the form that a shell accepts.
std::string quotedCommandLine(int argc, const char* const* argv);

} // namespace earshot::cli
