// The options that decide what counts as an event, for all commands that make events, and the detector's
// rules that follow from the options. The functions are pure, except those that declare options.
#pragma once

#include "Cli/Options.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Sebbs.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace earshot::cli {

// How events are shaped from the columns in which a sound is active.
struct ShapingOptions {
    std::optional<double> minDuration; // seconds
    std::optional<double> mergeGap;    // seconds
    int median = 1;                    // columns
};

// --confidence: "auto" or a probability. Without it, thresholds decide.
using ConfidenceOption = std::optional<std::string>;

struct DecidingOptions : ShapingOptions {
    std::optional<double> threshold;          // probability
    std::optional<double> sensitivity;        // logits that all thresholds are lowered by
    std::optional<double> releaseThreshold;   // probability
    std::vector<std::string> classThresholds; // "LABEL=P"
    std::vector<std::string> only;            // comma-separated labels
    ConfidenceOption confidence;
    std::optional<std::string> preset; // one of presetWords()
};

// The built-in presets (detection::presets()) as words: "field-birds".
std::vector<std::string> presetWords();
// `options` must outlive the parsing.
void addDecidingOptions(CLI::App& command, DecidingOptions& options);
// Declares only --min-duration, --merge-gap and --median.
void addShapingOptions(const OptionGroup& group, ShapingOptions& options);
void addConfidenceOption(const OptionGroup& group, ConfidenceOption& confidence);

struct EventChoice {
    detection::EventSettings settings;
    std::set<int> only; // empty: all classes

    bool reports(int classIndex) const { return only.empty() || only.count(classIndex) != 0; }
};

// Throws UsageError if `boxes` is null.
void requireSebbs(const detection::SebbScorer* sebbs);
// Returns the least confidence of reported events: the given probability, or for "auto" the model's own.
float minConfidence(const std::string& confidence, const detection::SebbScorer& sebbs);

// Returns the rules by thresholds. A class takes its threshold from --class-threshold, else from --threshold,
// else from the model, else from the detector's default; --sensitivity moves the last two. Throws UsageError,
// also if the options name both thresholds and a confidence.
EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels);
// Replaces thresholds by boxes at the confidence that the options ask for. Throws UsageError if the labels'
// model has none.
void chooseByConfidence(const DecidingOptions& options, const detection::Labels& labels,
                        detection::EventSettings& settings);

} // namespace earshot::cli
