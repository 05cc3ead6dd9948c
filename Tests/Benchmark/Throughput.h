// The gain of a second thread: on one pass, with a window on each thread, and with runs of overlapping
// windows on each thread, as recordings are analysed. Also the gain of consecutive windows, and the
// frontend's share of a hop.
#pragma once

#include "Benchmark/Goals.h"
#include "Core/Model/Weights.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace earshot::benchmark {

// Rounds of one pass on one thread, the same on two, a pass on each of two threads at once, and eight windows
// of a recording on each, 2.56 s apart. Ratios are of windows in the same time.
std::vector<Goal> measureThroughput(const std::shared_ptr<const model::Weights>& weights, int rounds);

// Passes over windows of a stream that move by one step of the model, and by 0.32 s if that is more, each
// beside passes over windows that have nothing in common, on one thread.
std::vector<Goal> measureStreamedPass(const std::shared_ptr<const model::Weights>& weights, int rounds);

// Resampler and log-mel of a hop of one token beside the pass of a stream that follows, on one thread.
std::vector<Goal> measureFrontendShare(const std::shared_ptr<const model::Weights>& weights, int rounds);

} // namespace earshot::benchmark
