// The curves of a training run as an SVG picture: losses above, scores on the validation scenes below, over
// epochs. Pure function: any thread.
#pragma once

#include "Core/Training/Run/TrainingLog.h"

#include <string>
#include <vector>

namespace earshot::training {

// title: plain text, any characters.
std::string drawCurves(const std::vector<LogRow>& rows, const std::string& title);

} // namespace earshot::training
