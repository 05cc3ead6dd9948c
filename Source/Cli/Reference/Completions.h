// Scripts that complete the command line in a shell: commands, options, the choices of an option, files and
// folders. Pure functions: any thread.
#pragma once

#include "Cli/Reference/Description.h"

#include <string>

namespace earshot::cli {

std::string bashCompletion(const CommandDescription& program);
std::string zshCompletion(const CommandDescription& program);
std::string fishCompletion(const CommandDescription& program);

} // namespace earshot::cli
