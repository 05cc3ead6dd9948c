// Checks of option values while the command line is parsed. Each message says what would be right.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace earshot::cli {

// A finite number from `low` to `high`. CLI::Range lets "nan" through.
CLI::Validator numberBetween(double low, double high, const std::string& what);
CLI::Validator wholeNumberBetween(int low, int high, const std::string& what);
CLI::Validator oddNumberUpTo(int high);
// One of the words, or a probability.
CLI::Validator wordOrProbability(const std::vector<std::string>& words);

} // namespace earshot::cli
