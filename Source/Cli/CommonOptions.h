// Options that several subcommands share.
#pragma once

#include "Core/Model/Weights.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace earshot::cli {

// --model; stays empty unless given.
CLI::Option* addModelOption(CLI::App& command, std::optional<std::string>& model);
// --threads; set to its default at once.
CLI::Option* addThreadsOption(CLI::App& command, int& threads);
// --precision; `precision` holds its default.
CLI::Option* addPrecisionOption(CLI::App& command, model::Precision& precision);

// --explain, of whoever writes events, and --output, of whoever prints results.
CLI::Option* addExplainOption(CLI::App& command, bool& explain);
CLI::Option* addOutputOption(CLI::App& command, std::optional<std::string>& output);
// --overwrite, of whoever writes files.
CLI::Option* addOverwriteOption(CLI::App& command, bool& overwrite);

// Loads a model; where that precision is refused here, says so unless `quiet`.
std::shared_ptr<const model::Weights> loadModel(const std::filesystem::path& file, model::Precision precision,
                                                bool quiet = false);

} // namespace earshot::cli
