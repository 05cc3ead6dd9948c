// What is done while things fail: each scenario prepares a folder, then does its work in it, as the command
// line would, with the smallest model and the shortest recordings that go through all of it. On one thread
// wherever that can be chosen, so that a run repeats itself. Work happens in the current folder.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace earshot::faults {

// What a scenario tells beside its files.
struct Found {
    std::string text;
    std::vector<std::string> failures; // of single recordings, as listed for the user
};

struct Scenario {
    const char* name;
    const char* what;
    void (*prepare)();
    // May be called again on what a run before has left, however that ended.
    Found (*run)();
    bool writesTimes; // in what it writes: it needs a clock of its own
    bool joinsInputs; // into one result: where an input is left out, and listed, everything may differ
};

std::span<const Scenario> allScenarios();

} // namespace earshot::faults
