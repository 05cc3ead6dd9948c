// `earshot info [MODEL]`: what a model is and which sounds it knows.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeInfoCommand(CLI::App& program);

} // namespace earshot::cli
