// A recording's probabilities as one of a batch's files (Core/Detection/Kept/Activations.h). Immutable: any
// thread.
#pragma once

#include "Core/Batch/Outputs.h"
#include "Core/Detection/Kept/Activations.h"

#include <memory>

namespace earshot::batch {

std::shared_ptr<const OutputKind> activationOutput(detection::ActivationKind kind,
                                                   detection::ActivationInfo info);

} // namespace earshot::batch
