// Compares whole folders, file by file and byte for byte.
#pragma once

#include "Support/AudioMaker.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace earshot::test {

// Every file below the folder, with hidden ones, by its path in it. Entries of the folder itself that are
// named in `without` are left out.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder,
                                                   const std::set<std::string>& without = {".earshot"}) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const auto name = entry.path().lexically_relative(folder);
        if (entry.is_regular_file() && without.count(name.begin()->string()) == 0)
            files[name.generic_string()] = readBytes(entry.path());
    }
    return files;
}

// The names alone, for messages.
inline std::set<std::string> names(const std::map<std::string, std::string>& files) {
    std::set<std::string> all;
    for (const auto& [name, bytes] : files) all.insert(name);
    return all;
}

} // namespace earshot::test
