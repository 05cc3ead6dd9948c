// Options that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace earshot::cli {

// --model; stays empty unless given.
CLI::Option* addModelOption(CLI::App& command, std::optional<std::string>& model);
// --threads; set to its default at once.
CLI::Option* addThreadsOption(CLI::App& command, int& threads);

} // namespace earshot::cli
