// Several plugin instances at once: live sessions at a hop of 0.32 s, fed in real time.
#pragma once

#include "Benchmark/Goals.h"

#include <filesystem>
#include <vector>

namespace earshot::benchmark {

// Four instances of the model, with this many seconds without audio, of digital silence and of sound. The
// load is a share of one core for each instance, with the processor time of feeding them.
std::vector<Goal> measureStreams(const std::filesystem::path& model, double seconds);

} // namespace earshot::benchmark
