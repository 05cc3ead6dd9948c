// PSDS by plain loops: all detections at each threshold, one threshold after the other.
#pragma once

#include "Core/Evaluation/Psds.h"

#include <span>

namespace earshot::test {

// thresholds: none: every probability that occurs.
double referencePsds(std::span<const evaluation::Scored> recordings, int classes,
                     const evaluation::PsdsSettings& settings, std::span<const float> thresholds = {});

} // namespace earshot::test
