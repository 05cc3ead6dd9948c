// Merges the shards of a batch into one folder, which equals that of a batch without shards. Main thread.
#pragma once

#include "Core/Batch/Outputs.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

namespace earshot::batch {

struct MergeSummary {
    std::size_t recordings = 0;
    double seconds = 0.0; // seconds of audio
    std::vector<Failure> failures;
};

// Returns the folders of shards in a folder ("shard-0-of-4" ...), sorted by index.
std::vector<std::filesystem::path> shardFoldersIn(const std::filesystem::path& folder);

// Merges `shards`, which must be all shards of one batch, into `folder`. Every shard must be complete and
// made with the same settings from the same list. Throws earshot::Error that names a shard that is not, or
// whose journal is inconsistent or names files outside its folder. The files of recordings are linked, or
// copied if they cannot be linked. Files in the folder that Earshot did not make are replaced only if
// `overwrite`. A merge that was interrupted at any point can be repeated. If proceed() returns false, the
// merge ends early.
MergeSummary mergeShards(const std::vector<std::filesystem::path>& shards,
                         const std::filesystem::path& folder,
                         const std::function<bool(std::size_t done, std::size_t total)>& proceed = {},
                         bool overwrite = false);

} // namespace earshot::batch
