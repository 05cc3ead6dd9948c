// Walks folders in a stable order (names sorted by their bytes). Hidden entries and the folders
// in which systems keep what was deleted are skipped, and a folder that several links lead to is walked once.
// Main thread.
//
// Also what a folder of results keeps for itself.
#pragma once

#include "Core/Base/Platform/Files.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::batch {

// Calls file() for every file at any depth, dangling links included. Calls unreadable() with a reason for
// every folder that cannot be read.
void walk(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path&)>& file,
          const std::function<void(const std::filesystem::path&, const std::string&)>& unreadable);

bool hasWildcards(std::string_view text);

struct Glob {
    std::filesystem::path folder;               // the pattern's path before the first wildcard
    std::vector<std::filesystem::path> matches; // existing files and folders, in any order
};

// Expands a pattern. *, ? and [...] match within one name, as in fnmatch(3). ** matches any number of
// folders, also none.
Glob expandGlob(const std::string& pattern);

// FOLDER/.earshot, where a folder of results keeps its journal and its lock. Makes it, or throws Error.
std::filesystem::path stateFolder(const std::filesystem::path& folder);

// Keeps other programs out of a folder during its lifetime. The system releases the lock when the program
// ends, even if it is killed. The constructor throws earshot::Error if another program holds the lock.
class FolderLock {
  public:
    explicit FolderLock(const std::filesystem::path& folder);

  private:
    platform::Descriptor file_;
};

} // namespace earshot::batch
