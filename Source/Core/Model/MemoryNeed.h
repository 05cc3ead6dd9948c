// The memory that a model needs, computed from its Config before any weights are read, because a file of some
// kilobytes may describe a network of any size. Every part follows the code that allocates it. All values
// count as float32; other precisions take less.
// Pure functions, except that memoryLimit() reads the environment: any thread.
#pragma once

#include "Core/Model/Config.h"

#include <cstdint>
#include <string>

namespace earshot::model {

struct MemoryNeed {
    // bytes
    std::uint64_t weights = 0; // in the form that a pass reads: packed, with position biases spread out
    std::uint64_t reading = 0; // in addition while weights are read, and calibrated for int8
    std::uint64_t pass = 0;    // one running pass on one thread, with its audio and spectrogram

    std::uint64_t total() const { return weights + reading + pass; }
};

// config: valid. projectionDims: length of the vectors that a CLAP model's projection returns; 0: no
// projection. A CLAP model's text half is never read and takes no memory.
MemoryNeed memoryNeed(const Config& config, std::int64_t projectionDims);

// Returns how many bytes one model may take: 2 GiB, or the number of GiB in the environment variable
// EARSHOT_MODEL_MEMORY. Throws earshot::Error if the variable is not a valid number.
std::uint64_t memoryLimit();
// Throws earshot::Error, beginning with `file`, if the need exceeds memoryLimit().
void requireMemory(const MemoryNeed& need, const std::string& file);

} // namespace earshot::model
