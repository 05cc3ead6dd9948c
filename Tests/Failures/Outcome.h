// One run of a scenario: how it ended, and the folder that it leaves.
#pragma once

#include "Failures/Scenarios.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace earshot::faults {

// How one run ended. Plain memory: nothing of it may count among what the run has left.
struct Outcome {
    enum Kind { success, error, memory, foreign } kind = success;
    std::array<char, 4000> message{}; // or what a success listed of single recordings
    std::uint64_t text = 0;           // a hash

    void say(std::string_view what) {
        const std::size_t count = std::min(what.size(), message.size() - 1);
        std::copy_n(what.begin(), count, message.begin());
        message[count] = '\0';
    }
    std::string_view said() const { return message.data(); }
};

// Runs the scenario. Stacks of its calls end here.
void invoke(const Scenario& scenario, Outcome& outcome);

using Tree = std::map<std::string, std::string>; // of a folder: contents by path, with folders as "path/"
Tree treeOf(const std::filesystem::path& folder);

// The journal and what SQLite keeps beside it: only that they are there can be compared.
inline bool isJournal(std::string_view name) { return name.find(".earshot/") != std::string_view::npos; }

} // namespace earshot::faults
