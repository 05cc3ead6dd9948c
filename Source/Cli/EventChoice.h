// What decides what is an event: the options of the commands that make events, and the detector's rules that
// follow from them. Filled by the command line; pure functions.
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

// The model's own, or null. Throws earshot::Error.
std::shared_ptr<const detection::BoxScorer> boxesOf(const model::Weights& weights);
// Throws UsageError when there are none.
void requireBoxes(const detection::BoxScorer* boxes);
// From "auto" or a probability.
float leastConfidence(const std::string& confidence, const detection::BoxScorer& boxes);

// By thresholds: a class takes its own from --class-threshold, else --threshold, else the model, else the
// detector's default. Throws UsageError, also where the options ask for a confidence besides.
EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels);
// Boxes instead, at the confidence that the options ask for. labels: of the model's own sounds. Throws
// UsageError when there are no boxes.
void chooseByConfidence(const DecidingOptions& options, std::shared_ptr<const detection::BoxScorer> boxes,
                        const detection::Labels& labels, detection::EventSettings& settings);

} // namespace earshot::cli
