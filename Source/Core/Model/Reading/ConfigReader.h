// Works out a Config from a checkpoint: from `earshot.config` metadata where there is one, else from
// tensor names and shapes, else AudioSet's defaults. Also finds the prefix under which a published
// layout keeps its HTS-AT tensors. One thread at a time.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <string>

namespace earshot::model {

// The kinds of models, as CheckpointLayout and Weights name them.
inline constexpr const char* htsatKind = "HTS-AT";
inline constexpr const char* microsoftKind = "Microsoft CLAP";
inline constexpr const char* laionKind = "LAION-CLAP";

struct CheckpointLayout {
    std::string prefix; // "", "sed_model.", "audio_encoder.base.htsat.", "module.audio_branch." ...
    std::string kind;   // one of the above
    Config config;
};

// Throws earshot::Error when no HTS-AT network is in the file, when metadata and shapes contradict one
// another, when a value is out of range, or when the model would take more memory than memoryLimit().
CheckpointLayout readLayout(const Checkpoint& checkpoint);

} // namespace earshot::model
