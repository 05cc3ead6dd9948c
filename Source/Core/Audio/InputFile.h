// The bytes behind an AudioFile: a regular file, or a pipe copied to an unnamed temporary file so that
// decoders can seek in it. POSIX descriptors, closed by the destructor. One thread at a time.
#pragma once

#include "Core/Base/RegularFile.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace earshot::audio {

class InputFile {
  public:
    // Throws UnreachableError, naming the file, when it is missing or unreadable; Error when it is a
    // directory or a device, or empty; a pipe is copied to its end where that is allowed, else an Error as
    // well.
    static InputFile open(const std::filesystem::path& file, Pipes pipes = Pipes::refused);
    // Copies standard input to its end.
    static InputFile standardInput();

    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;
    ~InputFile();

    const std::string& name() const { return name_; } // as messages call it
    std::int64_t size() const { return size_; }       // bytes

    // Bytes read, fewer than asked for at the end or on failure (see failed()).
    std::size_t read(void* destination, std::size_t bytes);
    // The new position, or -1. `whence` as for lseek().
    std::int64_t seek(std::int64_t offset, int whence);
    std::int64_t position() const;
    // The operating system could not read the file (a disk or network failure).
    bool failed() const { return failed_; }

  private:
    InputFile(int descriptor, std::string name);
    // Takes the place of a stream that cannot seek.
    InputFile spooled() &&;

    int descriptor_ = -1;
    std::string name_;
    std::int64_t size_ = 0;
    bool failed_ = false;
};

} // namespace earshot::audio
