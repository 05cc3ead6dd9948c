// How long a model loads until its first pass could run, and how much memory it and each further instance
// take. Each round is a process of its own, so that only the system's file cache is warm.
#pragma once

#include "Benchmark/Goals.h"

#include <filesystem>
#include <string>
#include <vector>

namespace earshot::benchmark {

struct LoadingGoals {
    std::optional<double> milliseconds;
    std::optional<double> megabytes;         // of the model and its first instance
    std::optional<double> instanceMegabytes; // of each further one
};

// name: "full model". Before any OpenMP team exists.
std::vector<Goal> measureLoading(const std::string& name, const std::filesystem::path& file,
                                 const LoadingGoals& goals, int rounds);

// Writes the checkpoint that the tests make from a seed, in a process of its own.
void writeFullModel(const std::filesystem::path& file, bool half);

} // namespace earshot::benchmark
