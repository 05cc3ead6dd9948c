// Checks of option values while the command line is parsed. Each message says what would be right.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace earshot::cli {

// A finite number from `low` to `high`. CLI::Range lets "nan" through.
CLI::Validator numberBetween(double low, double high, const std::string& what);
CLI::Validator wholeNumberBetween(int low, int high, const std::string& what);
CLI::Validator oddNumberUpTo(int high);

} // namespace earshot::cli
