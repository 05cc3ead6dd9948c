// The work during which calls fail. Each scenario prepares a folder, then works in it as the command line
// would, with the smallest model and the shortest recordings that use all of it. It uses one thread wherever
// possible, so that a run repeats itself. Work happens in the current folder.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace earshot::faults {

// The results of a scenario besides its files.
struct Found {
    std::string text;
    std::vector<std::string> failures; // of single recordings, as listed for the user
};

struct Scenario {
    const char* name;
    const char* what;
    void (*prepare)();
    // It may be called again on the files of an earlier run, however that ended.
    Found (*run)();
    bool writesTimes; // it writes times, so it needs a clock of its own
    // it joins inputs into one result, which may differ everywhere if an input is left out and listed
    bool joinsInputs;
    // The model of an older training. What that left beside it goes before another is stored, because it
    // would be taken for what belongs to the new one.
    const char* oldModel = nullptr;
};

std::span<const Scenario> allScenarios();

} // namespace earshot::faults
