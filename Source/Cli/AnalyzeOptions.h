// What `earshot analyze` was asked for. Filled by the command line, read by the rest.
#pragma once

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

struct AnalyzeOptions {
    std::vector<std::string> files; // "-" is standard input
    std::optional<std::string> model;
    detection::Mode mode = detection::Mode::automatic;
    std::optional<double> hop;                // seconds
    std::optional<double> threshold;          // probability
    std::optional<double> releaseThreshold;   // probability
    std::vector<std::string> classThresholds; // "LABEL=P"
    std::vector<std::string> only;            // comma-separated labels
    double minDuration = 0.0;                 // seconds
    double mergeGap = 0.0;                    // seconds
    int median = 1;                           // columns
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
