// The costs of a model besides the pass itself: loading, memory, threads, the frontend's share, several
// instances at once.
#pragma once

#include "Benchmark/Goals.h"
#include "Core/Model/Weights.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace earshot::benchmark {

struct RuntimeOptions {
    std::string model;    // full, or anything else: then no goals are known
    int rounds = 40;      // of passes; loading takes a tenth of them
    double seconds = 4.0; // of each sound that the instances hear
};

using WeightsMaker = std::function<std::shared_ptr<const model::Weights>()>;

// Call it before any OpenMP team exists, because loading is measured in forks.
std::vector<Goal> measureRuntime(const RuntimeOptions& options, const WeightsMaker& makeWeights);

} // namespace earshot::benchmark
