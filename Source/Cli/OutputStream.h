// Where results go: standard output, or the file of --output. Main thread.
#pragma once

#include "Core/Base/Error.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace earshot::cli {

// The program that read our standard output has closed it. No failure: nobody wants the rest.
class ReaderGone : public std::exception {};

// Results cannot be written (a full disk): everything after it would be lost too.
class OutputError : public Error {
  public:
    using Error::Error;
};

class OutputStream {
  public:
    // Throws OutputError when the file cannot be created.
    explicit OutputStream(const std::optional<std::string>& file = std::nullopt);

    bool isTerminal() const;
    // Both throw OutputError or ReaderGone.
    void write(std::string_view text);
    void flush();
    // Closes the file; what could not be written shows here at the latest.
    void finish();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    [[noreturn]] void fail() const;

    std::string name_;
    std::unique_ptr<std::FILE, Close> owned_; // null for standard output
    std::FILE* stream_;
};

} // namespace earshot::cli
