// A training from data to a model with its card, log and curves: what `earshot train` runs. Runs on the
// calling thread and those of its settings.
#pragma once

#include "Core/Training/Run/RunSettings.h"

namespace earshot::training {

// Throws earshot::Error: nothing to learn from, files in the way, a training that diverged.
RunResult train(const RunSettings& settings, const RunObserver& observer);

} // namespace earshot::training
