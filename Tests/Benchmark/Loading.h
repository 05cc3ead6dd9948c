// How long a model takes until its first pass could run, and what it and each further instance keep in
// memory. Each round is a process of its own: nothing is compiled or cached beforehand but the file, by the
// system.
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
