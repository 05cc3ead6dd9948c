// What `earshot --version` prints. Any thread.
#pragma once

#include <string>

namespace earshot::cli {

// The version and the commit, the libraries with the versions that run, and the instruction sets in use. Each
// line ends in a newline.
std::string versionText();

} // namespace earshot::cli
