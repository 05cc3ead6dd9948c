// `earshot analyze FILE...`: what sounds when, in recordings of any length.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeAnalyzeCommand(CLI::App& program);

} // namespace earshot::cli
