// `earshot embed FILE...`: recordings as vectors, a row for each window or one for each recording.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeEmbedCommand(CLI::App& program);

} // namespace earshot::cli
