// The recordings that somebody means by files, folders, globs and lists, in an order that is the same on
// every machine and at every run. Main thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::batch {

struct Input {
    std::filesystem::path path; // to open, as given; "-" is standard input
    // Its path below the folder that holds all inputs: below the one folder given, or the nearest that
    // several have in common. No two inputs share one.
    std::string name;
    std::optional<std::string> problem; // found before it was opened, as "... permission denied"
    bool named = false; // by an argument of its own, not by a folder, a glob or a list: it may be a pipe
};

// Whether a folder's file of that name is taken for a recording (the kinds that libsndfile reads).
bool hasAudioExtension(const std::filesystem::path& file);

// arguments: files (of any name, and whether or not they are there), folders (all recordings below, without
// hidden ones; links are followed, never twice), globs (*, ?, [...] within a name and ** across folders) and
// "-". listed: the same but for globs and "-".
// Each folder's and each glob's recordings are sorted by their bytes. A file reached twice comes once. Throws
// earshot::Error for a folder without recordings, and for a glob that fits none.
std::vector<Input> findInputs(std::span<const std::string> arguments,
                              std::span<const std::string> listed = {});

// Sorted by name, whatever the order in which somebody's shell gave them.
void sortByName(std::vector<Input>& inputs);

// One path a line; LF or CRLF; empty lines and those that begin with '#' are left out.
std::vector<std::string> readList(std::istream& stream);

// One machine's share of a batch: of the sorted list, every recording whose place modulo `count` is `index`.
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
