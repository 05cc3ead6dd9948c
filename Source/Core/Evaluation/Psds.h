// Computes the polyphonic sound detection score (PSDS): the share of events that is detected, averaged over
// all rates of false alarms, so that no threshold must be chosen. Bilen, Ferroni, Tuveri, Azcarreta and
// Krstulovic, "A Framework for the Robust Evaluation of Sound Event Detection", ICASSP 2020, at every
// threshold that occurs in the scores, as sed_scores_eval computes it (PsdsSweep.h). Pure functions: any
// thread.
#pragma once

#include "Core/Evaluation/ModelOutput.h"
#include "Core/Evaluation/PsdsSweep.h"

#include <functional>
#include <span>
#include <vector>

namespace earshot::evaluation {

// A detection is a run of columns whose probability, median-filtered by the settings, is at or above the
// threshold; with a box scorer, a box of at least that confidence. Release, shortest length and merge gap are
// the product's own rules and belong to no score of the field; they do not apply. Annotations are those
// before pauses were joined (Scored::unjoined), without those of length 0. Classes without annotations are
// ignored (DCASE's sets have none), and so are recordings that are not strongly labelled.
// Returns 0 to 1; 0 when nothing is annotated.
double psds(const ModelOutput& output, const PsdsSettings& settings);

// Returns the score of each draw; NaN for one in which nothing is annotated. outputs: of one or more models,
// whose scored classes correspond; recordings of all of them are scored as one set, as often as the draw
// says. goesOn: called for each class; if it returns false, the result is empty. The memory grows with the
// columns of one class and with draws times annotated sounds.
std::vector<double> psds(std::span<const ModelOutput> outputs, const PsdsSettings& settings,
                         std::span<const Draw> draws, const std::function<bool()>& goesOn = {});

} // namespace earshot::evaluation
