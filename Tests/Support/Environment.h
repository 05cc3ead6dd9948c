// Sets an environment variable during a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace earshot::test {

class EnvironmentScope {
  public:
    EnvironmentScope(std::string name, const std::string& value)
        : name_(std::move(name)) {
        if (const char* const before = std::getenv(name_.c_str())) before_ = before;
        ::setenv(name_.c_str(), value.c_str(), 1);
    }
    EnvironmentScope(const EnvironmentScope&) = delete;
    EnvironmentScope& operator=(const EnvironmentScope&) = delete;
    ~EnvironmentScope() {
        if (before_)
            ::setenv(name_.c_str(), before_->c_str(), 1);
        else
            ::unsetenv(name_.c_str());
    }

  private:
    std::string name_;
    std::optional<std::string> before_;
};

} // namespace earshot::test
