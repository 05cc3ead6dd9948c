// The exit codes of the program, and the error for a wrong command line.
#pragma once

#include <stdexcept>
#include <string>

namespace earshot::cli {

enum ExitCode : int {
    success = 0,
    failure = 1,        // some input or the model failed; everything else was processed
    wrongUsage = 2,     // the command line is wrong
    interruption = 130, // Ctrl-C, after printing what was finished
};

// A mistake in the command line that shows only after parsing. The message is one line that says what to do.
class UsageError : public std::runtime_error {
  public:
    explicit UsageError(const std::string& message)
        : std::runtime_error(message) {}
};

} // namespace earshot::cli
