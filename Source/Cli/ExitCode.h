// The exit codes of the program, and the errors that lead to them.
#pragma once

#include <stdexcept>
#include <string>

namespace earshot::cli {

enum ExitCode : int {
    success = 0,
    failure = 1,        // some input or the model failed; the rest is done
    wrongUsage = 2,     // the command line makes no sense
    interruption = 130, // Ctrl-C, after printing the results so far
};

// A wrong use of the command line that shows only after parsing. The message is one line with advice.
class UsageError : public std::runtime_error {
  public:
    explicit UsageError(const std::string& message)
        : std::runtime_error(message) {}
};

} // namespace earshot::cli
