// From what the user asked for to the detector's rules: thresholds per class, and which classes are reported.
#pragma once

#include "Cli/DecidingOptions.h"
#include "Core/Detection/Events/BoxScorer.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Model/Weights.h"

#include <memory>
#include <set>
#include <string>

namespace earshot::cli {

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
