// `earshot merge DIR`: the shards of an archive made into one folder.
#pragma once

#include "Cli/Command.h"

namespace earshot::cli {

Command makeMergeCommand(CLI::App& program);

} // namespace earshot::cli
