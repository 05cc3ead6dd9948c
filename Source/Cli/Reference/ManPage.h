// A man page, in the macros of man(7). Pure function: any thread.
#pragma once

#include "Cli/Reference/Description.h"

#include <string>

namespace earshot::cli {

// `program` is the whole program; `command` is it, or one of its commands.
std::string manPage(const CommandDescription& program, const CommandDescription& command);

} // namespace earshot::cli
