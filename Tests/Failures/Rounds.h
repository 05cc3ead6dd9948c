// Runs a scenario once for each of its Points, each in a process of its own, and compares the files left
// behind with those of an undisturbed run.
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
    std::optional<double> seconds; // time in which rounds may begin; none: all Points
    std::uint64_t seed = 1;        // decides the order
    std::size_t shown = 20;        // kinds of faults that are printed with a stack
    std::string only;              // only Points whose description contains this; empty: all
};

// Prints what was tried and found. Returns the number of faults.
std::size_t tryAll(const Scenario& scenario, const RoundSettings& settings);

} // namespace earshot::faults
