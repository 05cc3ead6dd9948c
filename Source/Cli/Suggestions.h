// What a mistyped word may have meant, and what a command line that names no command may have meant. Pure
// functions, except that the second looks whether a file is there. Main thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::cli {

// Insertions, deletions and replacements that turn one into the other (Levenshtein, 1966).
std::size_t editDistance(std::string_view a, std::string_view b);

// Returns the name that `word` may be a mistyping of: at most a third of its characters differ, or it begins
// the name. Empty if there is none.
std::string nearestName(std::string_view word, std::span<const std::string> names);

// Explains a command line without a command: "no command 'analyse'; did you mean 'earshot analyze'?".
// arguments: those behind the program's name, at least one of which is no option.
std::string missingCommand(std::span<const std::string> arguments, std::span<const std::string> commands);

} // namespace earshot::cli
