// How the program ends, and the mistakes that decide it.
#pragma once

#include <stdexcept>
#include <string>

namespace earshot::cli {

enum ExitCode : int {
    success = 0,
    failure = 1,        // some input or the model failed; the rest was done
    wrongUsage = 2,     // the command line makes no sense
    interruption = 130, // Ctrl-C, after printing what was done
};

// A mistake in the command line that only shows after it was parsed. The message is one line that says what
// to do.
class UsageError : public std::runtime_error {
  public:
    explicit UsageError(const std::string& message)
        : std::runtime_error(message) {}
};

} // namespace earshot::cli
