// The files that packages install beside the program. Main thread.
#pragma once

#include "Cli/Reference/Description.h"

#include <filesystem>

namespace earshot::cli {

// Writes earshot.1, earshot-COMMAND.1 and the completions earshot.bash, _earshot and earshot.fish into the
// folder, which it makes. Throws earshot::Error if it cannot.
void writeReference(const CommandDescription& program, const std::filesystem::path& folder);

} // namespace earshot::cli
