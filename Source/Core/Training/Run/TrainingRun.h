// A whole training, from data to a model with its card, log and curves. `earshot train` runs it. It uses the
// calling thread and those of its settings.
#pragma once

#include "Core/Training/Run/RunSettings.h"

namespace earshot::training {

// Throws earshot::Error when there is nothing to learn from, files are in the way, or the training diverges.
RunResult train(const RunSettings& settings, const RunObserver& observer);

} // namespace earshot::training
