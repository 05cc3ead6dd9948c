// HTS-AT weights that follow from a seed alone: every element is a hash of (seed, parameter name, index), so
// a full-size model needs no stored file. The golden outputs were computed with the same weights.
#pragma once

#include "Core/Model/Checkpoint.h"
#include "Core/Model/Config.h"

#include <memory>
#include <string>

namespace earshot::test {

struct ProceduralModel {
    model::Config config;
    int seed = 0;
    std::string prefix; // "module.audio_branch." and so on, to stand in for a published layout
};

// 24 wide, depths 2,2,2,2, 16 classes, seed 11.
ProceduralModel tinyModel();
// The published size: 96 wide, depths 2,2,6,2, 527 classes, seed 5.
ProceduralModel fullModel();
// Small enough for plain loops: 64 pixels, 16 bands, windows of 4.
ProceduralModel smallModel();

// A checkpoint in memory under the reference's tensor names, without the buffers that follow from the config.
std::unique_ptr<model::Checkpoint> proceduralCheckpoint(const ProceduralModel& model);

} // namespace earshot::test
