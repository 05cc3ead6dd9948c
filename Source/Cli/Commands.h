// The subcommands of `earshot`: each declares its options on the program, and runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace earshot::cli {

struct Command {
    CLI::App* options; // owned by the program
    std::function<int()> run;
};

Command makeAnalyzeCommand(CLI::App& program);  // what sounds when, in recordings of any length
Command makeEmbedCommand(CLI::App& program);    // recordings as vectors
Command makeEvaluateCommand(CLI::App& program); // how well a model hears labelled recordings
Command makeEventsCommand(CLI::App& program);   // events from kept activations, without the network
Command makeForwardCommand(CLI::App& program);  // one pass of the network, as the reference does it
Command makeInfoCommand(CLI::App& program);     // what a model is and knows
Command makeMergeCommand(CLI::App& program);    // the shards of a batch joined
// Learns sounds from labelled recordings. commandLine: as it was typed, for the model's card.
Command makeTrainCommand(CLI::App& program, const std::string& commandLine);

// The arguments as a shell takes them.
std::string quotedCommandLine(int argc, const char* const* argv);

} // namespace earshot::cli
