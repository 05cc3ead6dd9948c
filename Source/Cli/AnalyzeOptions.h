// What `earshot analyze` was asked for. Filled by the command line, read by the rest.
#pragma once

#include "Cli/DecidingOptions.h"
#include "Cli/ResultWriter.h"
#include "Core/Detection/Windowing.h"
#include "Core/Model/Precision.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace earshot::cli {

struct AnalyzeOptions : DecidingOptions {
    std::vector<std::string> files; // "-" is standard input
    std::optional<std::string> model;
    detection::Mode mode = detection::Mode::automatic;
    std::optional<double> hop; // seconds
    ResultFormat format = ResultFormat::table;
    bool explain = false;
    std::optional<std::string> output;
    int threads = 1;
    model::Precision precision = model::Precision::automatic;
    bool quiet = false;
};

// Declares them on the subcommand; `options` must outlive the parsing.
void declareAnalyzeOptions(CLI::App& command, AnalyzeOptions& options);

} // namespace earshot::cli
