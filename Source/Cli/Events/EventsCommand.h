// `earshot events FILE...`: events from kept activations, with other rules and without the network.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeEventsCommand(CLI::App& program);

} // namespace earshot::cli
