// Finds the recordings that files, folders, globs and lists name, in an order that is the same on every
// machine and in every run. Main thread.
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
    std::filesystem::path path; // as given; "-" is standard input, and a file of that name is "./-"
    // The path relative to Inputs::base. Unique among the inputs.
    std::string name;
    std::optional<std::string> problem; // an error before it was opened, such as "... permission denied"
    bool named = false; // an argument names this file itself, not a folder, glob or list: it may be a pipe

    bool isStandardInput() const { return path == "-"; }
};

struct Inputs {
    std::vector<Input> recordings;
    std::filesystem::path base;                 // tidied; names are relative to it
    std::vector<std::filesystem::path> folders; // that arguments and lists name, tidied
};

// Folders that names may be relative to.
struct Bases {
    std::optional<std::filesystem::path> wanted;
    std::vector<std::filesystem::path> earlier; // of results that are there
};

// Finds the recordings that `arguments` and `listed` name.
//   arguments  files (with any name, existing or not), folders (all recordings below, without hidden and
//   deleted ones),
//              globs (*, ?, [...] within a name and ** across folders) and "-"
//   listed     files and folders only; "-" is a file
// Names are relative to the wanted base, else to the first earlier one that holds all recordings, else to the
// nearest folder that does. The recordings of each folder and each glob are sorted by the bytes of their
// paths. A file that several arguments or links reach appears once. Throws earshot::Error for a folder
// without recordings, for a glob without matching recordings, if not all lie below the wanted base, and for a
// base that is named and gone.
Inputs findInputs(std::span<const std::string> arguments, std::span<const std::string> listed = {},
                  const Bases& bases = {});
// Returns the path as an absolute one, without "." and "..", and without a separator at its end.
std::filesystem::path tidied(const std::filesystem::path& path);
// Returns a tidied path relative to a tidied folder, "." for the folder itself; null if it is not below it.
std::optional<std::filesystem::path> relativeTo(const std::filesystem::path& folder,
                                                const std::filesystem::path& path);

// Sorts by name, so that the order does not depend on the shell.
void sortByName(std::vector<Input>& inputs);

// Reads one path a line, in UTF-8. Lines end in LF or CRLF. Empty lines are skipped, and so are lines that
// begin with '#' and name no file. `name`: of the list, in messages. Throws earshot::Error for UTF-16.
std::vector<std::string> readList(std::istream& stream, const std::string& name);

// One machine's share of a batch: every recording whose position in the sorted list is `index` modulo
// `count`.
struct Shard {
    int index = 0; // from 0
    int count = 1;

    bool operator==(const Shard&) const = default;
    bool has(std::size_t position) const {
        return position % static_cast<std::size_t>(count) == static_cast<std::size_t>(index);
    }
};

// Parses "I/N": "2/4" is the third of four shards. Returns null unless 0 <= I < N.
std::optional<Shard> parseShard(std::string_view text);
// "shard-2-of-4"
std::string folderName(const Shard& shard);
std::optional<Shard> shardOfFolder(const std::filesystem::path& folder);

} // namespace earshot::batch
