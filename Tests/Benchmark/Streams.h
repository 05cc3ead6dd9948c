// Several plugin instances at once: live sessions at a hop of 0.32 s, fed in real time.
#pragma once

#include "Benchmark/Goals.h"

#include <filesystem>
#include <vector>

namespace earshot::benchmark {

// Four instances of the model: so many seconds without audio, of digital silence and of sound. Load is of one
// core, per instance; the processor time of feeding them is in it.
std::vector<Goal> measureStreams(const std::filesystem::path& model, double seconds);

} // namespace earshot::benchmark
