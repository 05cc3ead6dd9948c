// The one exception type of Earshot's engine: a file, a model or a user's mistake.
//
// The message is one line. It names the file or tensor, says what was expected and what was found, and ends
// with advice if there is any. Programming errors assert instead.
// Any thread may throw; only the worker loop, the host lifecycle, plugin state and main() catch.
#pragma once

#include <stdexcept>
#include <string>

namespace earshot {

class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message)
        : std::runtime_error(message) {}
};

} // namespace earshot
