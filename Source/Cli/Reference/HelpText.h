// What `earshot COMMAND --help` prints. Main thread.
#pragma once

#include "Cli/Reference/Description.h"

#include <string>

namespace earshot::cli {

// `name` is what the user types: "earshot analyze". Every line fits 80 columns if the lines of the notes do.
std::string helpText(const CommandDescription& command, const std::string& name);

} // namespace earshot::cli
