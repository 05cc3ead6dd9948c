// Sets an environment variable during a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace earshot::test {

// Without a value it is taken away.
inline void setEnvironment(const std::string& name, const std::optional<std::string>& value) {
#ifdef _WIN32
    ::_putenv_s(name.c_str(), value.value_or("").c_str());
#else
    if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
    else
        ::unsetenv(name.c_str());
#endif
}

class EnvironmentScope {
  public:
    EnvironmentScope(std::string name, const std::string& value)
        : name_(std::move(name)) {
        if (const char* const before = std::getenv(name_.c_str())) before_ = before;
        setEnvironment(name_, value);
    }
    EnvironmentScope(const EnvironmentScope&) = delete;
    EnvironmentScope& operator=(const EnvironmentScope&) = delete;
    ~EnvironmentScope() { setEnvironment(name_, before_); }

  private:
    std::string name_;
    std::optional<std::string> before_;
};

} // namespace earshot::test
