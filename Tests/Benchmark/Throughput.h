// What a second thread gains: on one pass, and with a window a thread as recordings are analysed; and how
// much of a hop the frontend takes.
#pragma once

#include "Benchmark/Goals.h"
#include "Core/Model/Weights.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace earshot::benchmark {

// Rounds of one pass on one thread, the same on two, and a pass on each of two threads at once.
std::vector<Goal> measureThroughput(const std::shared_ptr<const model::Weights>& weights, int rounds);

// Resampler and log-mel of a hop of one token (0.32 s) beside the pass that follows, on one thread.
std::vector<Goal> measureFrontendShare(const std::shared_ptr<const model::Weights>& weights, int rounds);

} // namespace earshot::benchmark
