// The options that decide what is an event, for all commands that make events, and the detector's rules that
// follow from them. The command line fills them; pure functions.
#pragma once

#include "Cli/Options.h"
#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Model/Weights.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace earshot::cli {

// The options that shape events after the thresholds.
struct ShapingOptions {
    double minDuration = 0.0; // seconds
    double mergeGap = 0.0;    // seconds
    int median = 1;           // columns
};

// --confidence: "auto" or a probability. If it is absent, thresholds decide.
using ConfidenceOption = std::optional<std::string>;

struct DecidingOptions : ShapingOptions {
    std::optional<double> threshold;          // probability
    std::optional<double> releaseThreshold;   // probability
    std::vector<std::string> classThresholds; // "LABEL=P"
    std::vector<std::string> only;            // comma-separated labels
    ConfidenceOption confidence;
};

// `options` must outlive the parsing.
void addDecidingOptions(CLI::App& command, DecidingOptions& options);
// --min-duration, --merge-gap and --median alone.
void addShapingOptions(const OptionGroup& group, ShapingOptions& options);
void addConfidenceOption(const OptionGroup& group, ConfidenceOption& confidence);

struct EventChoice {
    detection::EventSettings settings;
    std::set<int> only; // empty: all classes

    bool reports(int classIndex) const { return only.empty() || only.count(classIndex) != 0; }
};

// The model's own; may be null. Throws earshot::Error.
std::shared_ptr<const detection::BoxScorer> boxesOf(const model::Weights& weights);
// Throws UsageError if the model has none.
void requireBoxes(const detection::BoxScorer* boxes);
// Reads "auto" or a probability.
float leastConfidence(const std::string& confidence, const detection::BoxScorer& boxes);

// The rules by thresholds. A class takes its own from --class-threshold, else --threshold, else the model's,
// else the detector's default. Throws UsageError, also when the options ask for a confidence too.
EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels);
// The rules by boxes, at the confidence that the options ask for. labels: of the model's own sounds. Throws
// UsageError if the model has no boxes.
void chooseByConfidence(const DecidingOptions& options, std::shared_ptr<const detection::BoxScorer> boxes,
                        const detection::Labels& labels, detection::EventSettings& settings);

} // namespace earshot::cli
