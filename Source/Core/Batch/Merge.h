// Shards of a batch made into one folder, the same as if one program had done all of it. Main thread.
#pragma once

#include "Core/Batch/Outputs.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

namespace earshot::batch {

struct MergeSummary {
    std::size_t recordings = 0;
    double seconds = 0.0; // of audio
    std::vector<Failure> failures;
};

// The folders of shards that lie in a folder ("shard-0-of-4" ...), by their index.
std::vector<std::filesystem::path> shardFoldersIn(const std::filesystem::path& folder);

// All shards of one batch: each is there, is done, and was made with the same settings from the same list.
// Throws earshot::Error that names the one that is not, or whose journal makes no sense or leads out of its
// folder. Files of recordings are linked, or copied where that cannot be. Files in the folder that Earshot
// did not make are replaced only if `overwrite`. Interrupted at any point, it can be done again. goOn: false
// ends it early.
MergeSummary mergeShards(const std::vector<std::filesystem::path>& shards,
                         const std::filesystem::path& folder,
                         const std::function<bool(std::size_t done, std::size_t total)>& goOn = {},
                         bool overwrite = false);

} // namespace earshot::batch
