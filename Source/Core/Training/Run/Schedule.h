// What changes over the steps of a training run: learning rate, weight averaging, and which stages are still
// frozen. Pure functions of the settings and the step (from 0): any thread.
#pragma once

#include "Core/Training/Run/Learner.h"

#include <cstdint>

namespace earshot::training {

// Linear warm-up from peak / warmUp to peak, then half a cosine down to finalRate at the last step.
double learningRate(const TrainerSettings& settings, std::int64_t step);

// How far the averaged weights move towards the weights after a step. Early ones forget quickly, so that the
// random start leaves no trace: the average's weight is min(average, (1 + step) / (10 + step)).
double averageRate(const TrainerSettings& settings, std::int64_t step);

// The first stage (Parameter::stage) of those that train at this step; all behind it train too.
int firstTrainedStage(const TrainerSettings& settings, int stageCount, std::int64_t step);
// Steps that a stage has trained for before this one.
std::int64_t stepsTrained(const TrainerSettings& settings, int stage, std::int64_t step);

// Unfreezing from the head to the input: the head from step 0, the input's stages from step `over` on, the
// others evenly between. For TrainerSettings::unfreezeAt.
std::vector<std::int64_t> unfreezeEvenly(int stageCount, std::int64_t over);

} // namespace earshot::training
