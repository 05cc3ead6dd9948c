// One machine's share of a batch: of the sorted list, every recording whose place modulo `count` is `index`.
// Pure functions: any thread.
#pragma once

#include "Core/Batch/Inputs.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::batch {

struct Shard {
    int index = 0; // from 0
    int count = 1;

    bool operator==(const Shard&) const = default;
    bool has(std::size_t position) const {
        return position % static_cast<std::size_t>(count) == static_cast<std::size_t>(index);
    }
};

// "2/4": the third of four. Nothing unless 0 <= I < N.
std::optional<Shard> parseShard(std::string_view text);
// "shard-2-of-4"
std::string folderName(const Shard& shard);
std::optional<Shard> shardOfFolder(const std::filesystem::path& folder);

} // namespace earshot::batch
