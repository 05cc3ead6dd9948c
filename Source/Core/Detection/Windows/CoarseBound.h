// Two steps through a recording: windows that do not overlap (looks) run everywhere, and the overlapping
// windows between them run only where a look found that something might sound. What a look finds is compared
// with each class's threshold: a model's bound says how near to it a class must come (`earshot.coarse_bound`,
// chosen by chooseCoarseBound() in Evaluation/CoarseBoundChoice.h on sounds that the model was not trained
// with). Pure functions: any thread.
#pragma once

#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Windows/Windowing.h"

#include <memory>
#include <span>
#include <vector>

namespace earshot::detection {

// The odds p / (1 - p) times `share`, as a probability. Odds are what a model's last layer adds up (the
// logarithm of odds is its logit), so that a share means as much for rare classes as for usual ones.
float shareOfOdds(float probability, float share);

// Where overlapping windows run: in runs of columns that stay at or above `extend` and reach `begin`, in any
// class. Both: (classes) probabilities.
struct CoarseBound {
    std::vector<float> begin;
    std::vector<float> extend;

    // bound: 0 (all columns) to 1 (the classes' own thresholds), of the odds of `on` and `off`.
    CoarseBound(const EventSettings& settings, int classes, float bound);

    // columns: (columns, classes). Returns whether each lies in such a run.
    std::vector<bool> suspects(std::span<const float> columns) const;
};

// Returns null where every window runs: the model has no bound, its boxes choose the events (they may begin
// far below the thresholds), or windows are too short for the bound, which was chosen with whole ones.
std::shared_ptr<const CoarseBound> coarseBound(const Labels& labels, const EventSettings& settings,
                                               Mode mode);

} // namespace earshot::detection
