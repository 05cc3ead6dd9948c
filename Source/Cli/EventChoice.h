// From what the user asked for to the detector's rules: thresholds per class, and which classes are reported.
#pragma once

#include "Cli/DecidingOptions.h"
#include "Core/Detection/BoxScorer.h"
#include "Core/Detection/Events.h"
#include "Core/Detection/Labels.h"

#include <memory>
#include <set>
#include <string>

namespace earshot::cli {

struct EventChoice {
    detection::EventSettings settings;
    std::set<int> only; // empty: all classes

    bool reports(int classIndex) const { return only.empty() || only.count(classIndex) != 0; }
};

// Boxes instead, at the confidence asked for. labels: of the model's own sounds. Throws UsageError where
// other options say how to decide, or the model has not learnt boxes.
void chooseByConfidence(const std::string& confidence, const DecidingOptions& options,
                        std::shared_ptr<const detection::BoxScorer> boxes, const detection::Labels& labels,
                        detection::EventSettings& settings);
void requireBoxes(const detection::BoxScorer* boxes);
// From "auto" or a probability.
float leastConfidence(const std::string& confidence, const detection::BoxScorer& boxes);

// A class takes its threshold from --class-threshold, else --threshold, else the model, else the detector's
// default. Throws UsageError.
EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels);

} // namespace earshot::cli
