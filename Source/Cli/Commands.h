// The subcommands of `earshot`. Each make function declares the command's options on the program; the program
// runs the command that was chosen. Main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace earshot::cli {

struct Command {
    CLI::App* options; // owned by the program
    std::function<int()> run;
};

Command makeAnalyzeCommand(CLI::App& program);  // detects events in recordings of any length
Command makeCutCommand(CLI::App& program);      // cuts events out of recordings as audio files
Command makeEmbedCommand(CLI::App& program);    // writes recordings as vectors
Command makeEvaluateCommand(CLI::App& program); // scores a model on labelled recordings
Command makeEventsCommand(CLI::App& program);   // derives events from kept activations, without the network
Command makeForwardCommand(CLI::App& program); // writes one pass of the network, as the reference computes it
Command makeInfoCommand(CLI::App& program);    // describes a model and its sounds
Command makeListenCommand(CLI::App& program);  // detects events live, from a device or standard input
Command makeMergeCommand(CLI::App& program);   // joins the shards of a batch
Command makeTeachCommand(CLI::App& program);   // adds sounds to a model from a few examples
// Trains a model on labelled recordings. `commandLine` is the command line as typed; the model's card quotes
// it.
Command makeTrainCommand(CLI::App& program, const std::string& commandLine);

// Returns the word as a shell takes it: in quotes where it needs them.
std::string shellWord(std::string_view word);
// Returns "earshot" and the arguments, each as shellWord().
std::string quotedCommandLine(int argc, const char* const* argv);

} // namespace earshot::cli
