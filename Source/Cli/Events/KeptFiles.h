// The files of kept activations that somebody means by files and folders. Main thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::cli {

struct KeptFile {
    std::filesystem::path path;
    std::string name; // of its recording's results: below the folder given, without the suffix
    std::optional<std::string> problem; // found before it was opened
};

// In the order given; those of a folder, at any depth, sorted by their names. Throws earshot::Error for a
// folder that holds none.
std::vector<KeptFile> findKeptFiles(const std::vector<std::string>& arguments);

// Throws UsageError when two would have results of one name.
void requireOwnNames(const std::vector<KeptFile>& files);

} // namespace earshot::cli
