// Files that are read as data: models, labels, manifests, queries. Only regular files (after following links)
// are opened: a pipe would wait for its writer, and a device may never end. What a path names is asked of the
// open file, so that nothing can take its place in between. POSIX descriptors, closed by the destructor.
// Reading does not move a position: any number of threads may read one file.
#pragma once

#include "Core/Base/Error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace earshot {

// The file is not there, may not be read, or its disk does not answer: nothing is known of what it holds.
class UnreachableError : public Error {
  public:
    using Error::Error;
};

// Whether a pipe will do as well: only one that the user named on the command line.
enum class Pipes { refused, read };

class RegularFile {
  public:
    // Returns at once, whatever the path names. wanted: what the file should be ("model file"), for messages.
    // Throws UnreachableError, naming the file, when it is missing or cannot be opened, and Error when it is
    // a folder, a pipe or a device.
    explicit RegularFile(const std::filesystem::path& file, std::string_view wanted = "file");
    RegularFile(RegularFile&& other) noexcept;
    RegularFile& operator=(RegularFile&& other) noexcept;
    ~RegularFile();

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t size() const { return size_; } // bytes, when it was opened
    int descriptor() const { return descriptor_; }
    // The descriptor, which the caller closes; nothing else may be asked of this object after.
    int release();

    // Bytes read from `position` on: fewer than there is room for only at the end. Throws earshot::Error when
    // the system cannot read them.
    std::size_t readSome(std::uint64_t position, std::span<std::byte> destination) const;
    // All of `destination`; a file that ends before is an Error.
    void read(std::uint64_t position, std::span<std::byte> destination) const;

  private:
    // Takes an open descriptor, which is closed whatever follows.
    RegularFile(std::filesystem::path file, int descriptor) noexcept;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

// All bytes of a file, which may take at most `mostBytes`. wanted: as above, and for "too large for a ...".
// Throws earshot::Error as RegularFile does; a pipe is read to its end where that is allowed.
std::string readWholeFile(const std::filesystem::path& file, std::uint64_t mostBytes, std::string_view wanted,
                          Pipes pipes = Pipes::refused);

} // namespace earshot
