// Runs a scenario once for each of its points, in a process of its own each, and holds what is left against
// an undisturbed run.
#pragma once

#include "Failures/Scenarios.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace earshot::faults {

struct RoundSettings {
    std::filesystem::path folder;  // to work in, empty
    int jobs = 1;                  // rounds at once
    std::optional<double> seconds; // how long rounds may be begun; none: all points
    std::uint64_t seed = 1;        // in which order
    std::size_t shown = 20;        // kinds of faults shown with a stack
    std::string only;              // points whose description has this in it; empty: all
};

// Prints what was tried and found; returns the number of faults.
std::size_t tryAll(const Scenario& scenario, const RoundSettings& settings);

} // namespace earshot::faults
