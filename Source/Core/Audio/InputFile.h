// The bytes behind an AudioFile: a regular file, or a pipe copied to an unnamed temporary file so that
// decoders can seek in it. One thread at a time.
#pragma once

#include "Core/Base/RegularFile.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace earshot::audio {

class InputFile {
  public:
    // Throws UnreachableError, naming the file, when it is missing or unreadable, and Error when it is a
    // directory, a device or empty. A pipe is copied to its end if pipes are allowed, and is an Error
    // otherwise.
    static InputFile open(const std::filesystem::path& file, Pipes pipes = Pipes::refused);
    // Copies standard input to its end.
    static InputFile standardInput();

    const std::string& name() const { return name_; } // the name in messages
    std::int64_t size() const { return size_; }       // bytes

    // Returns the bytes read. They are fewer than asked for at the end or after a failure (see failed()).
    std::size_t read(void* destination, std::size_t bytes);
    // Returns the new position, or -1. `whence` is that of lseek().
    std::int64_t seek(std::int64_t offset, int whence);
    std::int64_t position() const;
    // Whether the operating system failed to read the file (a disk or network failure).
    bool failed() const { return failed_; }

  private:
    InputFile(platform::Descriptor descriptor, std::string name);
    // Replaces a stream that cannot seek by its copy.
    InputFile spooled() &&;

    platform::Descriptor descriptor_;
    std::string name_;
    std::int64_t size_ = 0;
    bool failed_ = false;
};

} // namespace earshot::audio
