// A file that appears whole or not at all: written under its name with ".part" behind it, in the same folder,
// and renamed when it is complete, replacing an existing file. What a killed program leaves behind is the
// ".part" alone, which the next try overwrites. One thread at a time.
#pragma once

#include "Core/Base/Error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace earshot {

// Results cannot be written (a full disk): everything after it would be lost too.
class WriteError : public Error {
  public:
    using Error::Error;
};

class PartialFile {
  public:
    // All throw WriteError naming the file when it cannot be written.
    explicit PartialFile(const std::filesystem::path& file);
    // Removes what was written unless it was completed.
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    // At the end, unless seek() was called; then on from there.
    void write(const void* data, std::size_t bytes);
    void seek(std::uint64_t position);
    void complete();

    const std::filesystem::path& file() const { return file_; }

  private:
    [[noreturn]] void fail() const;

    std::filesystem::path file_;
    std::filesystem::path part_;
    std::ofstream stream_;
    bool completed_ = false;
};

} // namespace earshot
