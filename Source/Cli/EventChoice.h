// From what the user asked for to the detector's rules: thresholds per class, and which classes are reported.
#pragma once

#include "Cli/DecidingOptions.h"
#include "Core/Detection/Events.h"
#include "Core/Detection/Labels.h"

#include <set>

namespace earshot::cli {

struct EventChoice {
    detection::EventSettings settings;
    std::set<int> only; // empty: all classes

    bool reports(int classIndex) const { return only.empty() || only.count(classIndex) != 0; }
};

// A class takes its threshold from --class-threshold, else --threshold, else the model, else the detector's
// default. Throws UsageError.
EventChoice chooseEvents(const DecidingOptions& options, const detection::Labels& labels);

} // namespace earshot::cli
