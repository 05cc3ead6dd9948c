// Names of files that are cut out of recordings: a rule with placeholders, and names that every file system
// takes. Pure functions, except that ClipNames remembers; one thread at a time for each.
#pragma once

#include "Core/Base/WallTime.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::batch {

// What a name can say of an event and its clip.
struct ClipFacts {
    std::string recording; // the name of its file, without folders and ending
    std::string label;
    double onset = 0.0, offset = 0.0;   // of the event, seconds
    std::optional<double> peak = {};    // probability
    std::size_t number = 0;             // the event's place in its recording, from 1
    std::optional<WallTime> clock = {}; // when the clip begins
};

// A rule such as "{label}/{recording}_{onset}". A slash makes a folder. Onset and offset are seconds with
// three decimals in nine characters ("00012.340"), number has four digits or more, peak three decimals. What
// is not known is "unknown".
class ClipRule {
  public:
    static constexpr std::string_view standard = "{recording}_{onset}_{label}";

    // Throws earshot::Error, naming the placeholders, for one that is none of them, and for an empty rule.
    explicit ClipRule(std::string_view rule);

    // A relative path without an ending. It never leaves its folder.
    std::string name(const ClipFacts& facts) const;

  private:
    std::string rule_;
};

// The text as a name of a file or folder, without its ending, on Linux, macOS and Windows: characters that
// one of them refuses are underscores, no device of Windows is meant, and no dot or blank is at an end.
std::string safeFileName(std::string_view text);

// Numbers names that occur more than once: NAME, NAME-2, NAME-3. Names that differ in case or in the form of
// Unicode alone are one.
class ClipNames {
  public:
    // ending: with its dot
    std::filesystem::path next(const std::string& name, std::string_view ending);

  private:
    std::map<std::string, int> taken_;
};

} // namespace earshot::batch
