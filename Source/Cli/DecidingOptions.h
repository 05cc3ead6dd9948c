// The options that decide what is an event, shared by the commands that make events. Filled by the command
// line, read by EventChoice.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace earshot::cli {

struct DecidingOptions {
    std::optional<double> threshold;          // probability
    std::optional<double> releaseThreshold;   // probability
    std::vector<std::string> classThresholds; // "LABEL=P"
    std::vector<std::string> only;            // comma-separated labels
    double minDuration = 0.0;                 // seconds
    double mergeGap = 0.0;                    // seconds
    int median = 1;                           // columns
};

// Declares them on the subcommand; `options` must outlive the parsing.
void declareDecidingOptions(CLI::App& command, DecidingOptions& options);
// Of these, --min-duration, --merge-gap and --median: what is made of sounds that count.
void declareShapingOptions(CLI::App& command, DecidingOptions& options, const std::string& group);

} // namespace earshot::cli
