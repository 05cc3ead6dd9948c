// Compares a run during which a call failed with an undisturbed one.
#pragma once

#include "Failures/Faults.h"
#include "Failures/Outcome.h"
#include "Failures/Scenarios.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace earshot::faults {

// What an undisturbed run leaves.
struct Reference {
    Tree before, after;
    std::set<std::string> namesAgain; // after a second run
    Outcome found;
    std::int64_t leftLive = 0; // objects that live after two runs, and did not before
    int leftOpen = 0;
    std::map<std::string, std::set<std::uint64_t>> whole; // contents that a name was given
    std::set<std::string> unsteady;                       // files that are never the same twice
};

class Comparison {
  public:
    // Both outlive it.
    Comparison(const Scenario& scenario, const Reference& reference)
        : scenario_(scenario)
        , reference_(reference) {}

    // How the disturbed run ended; adds what is wrong with that.
    std::string check(const Point& point, const Outcome& outcome, const Tree& now, std::string& faults) const;
    // As above, of a run in the same folder after that.
    void checkAgain(const Outcome& again, std::string& faults) const;

  private:
    // The files that are not as an undisturbed run leaves them.
    std::vector<std::string> wrongFiles(const Tree& now) const;
    // What it listed of single recordings, without what an undisturbed run lists too.
    std::vector<std::string> newFailures(const Outcome& outcome) const;
    void checkMessage(const Point& point, const std::string& message, std::string& faults) const;
    bool isWhole(const std::string& name, const std::string& bytes) const;
    // Inputs are as they were, and files old or new, never in between.
    void checkFiles(const Outcome& outcome, const Tree& now, std::string& faults) const;
    // Whether the file may be gone after a failure.
    bool mayGo(const std::string& name) const;
    // Where another recording failed, what joins all of them differs; so do files that are never the same.
    bool mayDiffer(const std::string& name, const Outcome& outcome) const;

    const Scenario& scenario_;
    const Reference& reference_;
};

} // namespace earshot::faults
