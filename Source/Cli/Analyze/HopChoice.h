// How far windows advance, from the seconds a user asks for. Pure function.
#pragma once

#include "Core/Detection/Windows/Windowing.h"
#include "Core/Model/Config.h"

#include <optional>

namespace earshot::cli {

// In the model's tokens; without `seconds`, the usual hop of the mode. Throws UsageError beyond the stretch
// that a window hears.
int chooseHop(std::optional<double> seconds, detection::Mode mode, const model::Config& config);
// Likewise for passes of any shape.
int chooseHop(std::optional<double> seconds, detection::Mode mode, detection::PassShape shape,
              double secondsPerToken);

} // namespace earshot::cli
