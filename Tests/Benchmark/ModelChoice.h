// The model of a benchmark.
#pragma once

#include "Core/Model/Weights.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace earshot::benchmark {

struct ModelChoice {
    std::string model = "full";
    std::string precision = "f32";
};

// --model and --precision.
void addModelOptions(CLI::App& app, ModelChoice& choice);
// Throws earshot::Error when it cannot be loaded.
std::shared_ptr<const model::Weights> makeWeights(const ModelChoice& choice);

} // namespace earshot::benchmark
