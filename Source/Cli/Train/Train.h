// `earshot train`: learns sounds from labelled recordings. Main thread.
#pragma once

#include "Cli/Command.h"

#include <string>

namespace earshot::cli {

// commandLine: as it was typed, for the model's card.
Command makeTrainCommand(CLI::App& program, const std::string& commandLine);

// The arguments as a shell takes them.
std::string quotedCommandLine(int argc, const char* const* argv);

} // namespace earshot::cli
