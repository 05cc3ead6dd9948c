// Folders walked in a stable order (names by their bytes), without hidden entries, and into no folder twice,
// however links lead. Main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::batch {

// Calls file() for every file at any depth (and for links that lead nowhere), and unreadable() for folders
// that cannot be read, with what the system says.
void walk(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& file,
          const std::function<void(const std::filesystem::path&, const std::string&)>& unreadable);

bool hasWildcards(std::string_view text);

struct Glob {
    std::filesystem::path folder;               // what comes before the first wildcard
    std::vector<std::filesystem::path> matches; // files and folders that are there, in no order
};

// *, ? and [...] stand for parts of one name, as fnmatch(3) has it; ** for any number of folders, or none.
Glob expandGlob(const std::string& pattern);

} // namespace earshot::batch
