// Compares whole folders, file by file and byte for byte.
#pragma once

#include "Support/AudioMaker.h"

#include <algorithm>
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

// Says what differs: "" if nothing does, else a line for each name. Of files that differ, the line shows the
// first byte that does and what surrounds it.
inline std::string changes(const std::map<std::string, std::string>& found,
                           const std::map<std::string, std::string>& expected) {
    constexpr std::size_t shown = 24; // bytes before and behind the first that differs
    std::string lines;
    for (const auto& [name, bytes] : expected) {
        const auto other = found.find(name);
        if (other == found.end()) {
            lines += name + ": is missing\n";
        } else if (other->second != bytes) {
            const auto differs = std::ranges::mismatch(other->second, bytes).in2 - bytes.begin();
            const auto first = static_cast<std::size_t>(differs);
            const std::size_t from = first - std::min(first, shown);
            lines += name + ": " + std::to_string(other->second.size()) + " bytes instead of " +
                     std::to_string(bytes.size()) + ", from byte " + std::to_string(first) + " \"" +
                     other->second.substr(from, 2 * shown) + "\" instead of \"" +
                     bytes.substr(from, 2 * shown) + "\"\n";
        }
    }
    for (const auto& [name, bytes] : found)
        if (expected.count(name) == 0) lines += name + ": is new\n";
    return lines;
}

// The names alone.
inline std::set<std::string> names(const std::map<std::string, std::string>& files) {
    std::set<std::string> all;
    for (const auto& [name, bytes] : files) all.insert(name);
    return all;
}

} // namespace earshot::test
