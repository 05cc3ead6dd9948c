// `earshot forward FILE`: one pass of the network in a clip mode of the reference, for comparing with it.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeForwardCommand(CLI::App& program);

} // namespace earshot::cli
