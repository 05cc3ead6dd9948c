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

inline constexpr const char* decidingGroup = "Deciding what is an event"; // in --help

// What is made of the stretches in which a sound counts.
struct ShapingOptions {
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds
    int median = 1;           // columns
};

// --confidence: "auto" or a probability; without, thresholds decide.
using ConfidenceOption = std::optional<std::string>;

struct DecidingOptions : ShapingOptions {
    std::optional<double> threshold;          // probability
    std::optional<double> releaseThreshold;   // probability
    std::vector<std::string> classThresholds; // "LABEL=P"
    std::vector<std::string> only;            // comma-separated labels
    ConfidenceOption confidence;
};

// Declares them on the subcommand; `options` must outlive the parsing.
void declareDecidingOptions(CLI::App& command, DecidingOptions& options);
// --min-duration, --merge-gap and --median alone.
void declareShapingOptions(CLI::App& command, ShapingOptions& options, const std::string& group);
void declareConfidenceOption(CLI::App& command, ConfidenceOption& confidence, const std::string& group);

} // namespace earshot::cli
