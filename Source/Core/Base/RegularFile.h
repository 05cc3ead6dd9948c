// Files that are read as data: models, labels, manifests, queries. Only regular files (after following links)
// are opened, because a pipe would wait for its writer, and a device may never end. The kind of file is
// checked on the open descriptor, so that nothing can replace it in between. Reading moves no position: any
// number of threads may read one file.
#pragma once

#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot {

// Thrown when the file is missing, may not be read, or its disk does not answer. Nothing is known then about
// its contents.
class UnreachableError : public Error {
  public:
    using Error::Error;
};

// Whether a pipe is accepted. Only one that the user named on the command line is.
enum class Pipes { refused, read };

class RegularFile {
  public:
    // Returns at once, whatever the path names. wanted: the kind of file ("model file") for messages. Throws
    // UnreachableError, naming the file, when it is missing or cannot be opened, and Error when it is a
    // folder, a pipe or a device.
    explicit RegularFile(const std::filesystem::path& file, std::string_view wanted = "file");

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t size() const { return size_; } // bytes, when it was opened
    int descriptor() const { return descriptor_.number(); }
    // Hands the descriptor over. Do not use this object afterwards.
    platform::Descriptor release() { return std::move(descriptor_); }

    // Returns the bytes read from `position` on. They are fewer than asked for only at the end. Throws
    // earshot::Error when the system cannot read them.
    std::size_t readSome(std::uint64_t position, std::span<std::byte> destination) const;
    // Fills all of `destination`. A file that ends before is an Error.
    void read(std::uint64_t position, std::span<std::byte> destination) const;

  private:
    std::filesystem::path path_;
    platform::Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

// All bytes of a file, `maxBytes` at most. wanted: as above, also for "too large for a ...". Throws
// earshot::Error as RegularFile does. A pipe is read to its end if pipes are allowed.
std::string readWholeFile(const std::filesystem::path& file, std::uint64_t maxBytes, std::string_view wanted,
                          Pipes pipes = Pipes::refused);
// Its lines, which end with LF or CRLF, without a byte order mark and without empty ones at the end.
std::vector<std::string> readLines(const std::filesystem::path& file, std::uint64_t maxBytes,
                                   std::string_view wanted);
// The same, of text in UTF-8 alone. Throws earshot::Error that names the file, and the line where there is
// one, for UTF-16, for bytes that are not UTF-8 and for nulls.
std::vector<std::string> readTextLines(const std::filesystem::path& file, std::uint64_t maxBytes,
                                       std::string_view wanted);

} // namespace earshot
