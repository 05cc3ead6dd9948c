// What a model takes up in memory, worked out from its Config before any of its weights are read: a file of
// some kilobytes may describe a network of any size. Every part is a product of what the Config says, as the
// code that allocates it has it; numbers are float32, other precisions take less.
// Pure functions but for memoryLimit(), which asks the environment: any thread.
#pragma once

#include "Core/Model/Config.h"

#include <cstdint>
#include <string>

namespace earshot::model {

struct MemoryNeed {
    std::uint64_t weights = 0; // bytes, as a pass reads them: packed, position biases spread
    std::uint64_t reading = 0; // on top while they are read, and calibrated for int8
    std::uint64_t pass = 0;    // of one running pass on one thread, and of the sound and spectrogram it hears

    std::uint64_t total() const { return weights + reading + pass; }
};

// projectionDims: of the projection behind a CLAP model's audio half, 0 where there is none. Its text half is
// never read and costs nothing. The config is valid.
MemoryNeed memoryNeed(const Config& config, std::int64_t projectionDims);

// Bytes that one model may take: 2 GiB, or as many GiB as the environment variable EARSHOT_MODEL_MEMORY says.
// Throws earshot::Error when that is no number.
std::uint64_t memoryLimit();
// Throws earshot::Error, beginning with `file`, when that is less than the need.
void requireMemory(const MemoryNeed& need, const std::string& file);

} // namespace earshot::model
