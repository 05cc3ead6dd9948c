// Files whose names are spelled otherwise on disk than in a list or a table: a Mac writes "é" as two
// characters (Unicode's NFD), what is typed elsewhere has one (NFC). File systems take them for different
// names. One thread at a time.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace earshot {

// Remembers the folders it has looked into, so that a table of many missing names costs one look at each.
class StoredNames {
  public:
    // Returns the path as it is on disk: as given if that is there, else with each name in the spelling that
    // the disk has. Null if nothing is there, or two names on disk are spelled so. Never throws for what the
    // disk answers.
    std::optional<std::filesystem::path> find(const std::filesystem::path& path);

  private:
    // Names that are not ASCII, by their composed form; empty if several have that form.
    using Names = std::map<std::string, std::filesystem::path>;
    const Names& namesIn(const std::filesystem::path& folder);

    std::map<std::filesystem::path, Names> folders_;
};

} // namespace earshot
