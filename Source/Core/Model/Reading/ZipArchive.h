// Reads the entries of a zip archive. Only ZipArchive.cpp uses libzip. One thread at a time.
#pragma once

#include "Core/Base/RegularFile.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::model {

// A part of an entry that lies within its size.
struct ZipPiece {
    std::uint64_t from = 0; // byte of the entry
    std::span<std::byte> destination;
};

class ZipArchive {
  public:
    // Reads the open file, even if its path names another file later. Throws earshot::Error if it is not a
    // complete zip archive.
    explicit ZipArchive(const RegularFile& file);
    ~ZipArchive();

    const std::vector<std::string>& names() const; // in the archive's order
    bool contains(const std::string& name) const;
    // Returns the unpacked size in bytes. Throws earshot::Error if the entry is missing, encrypted, packed
    // other than stored or deflated, or if its size is impossible for the archive's size.
    std::uint64_t size(const std::string& name) const;
    // Reads a part of an entry, which must lie within the entry's size. Also reads and drops the rest, so
    // that the checksum is compared. Throws earshot::Error if bytes are damaged.
    void read(const std::string& name, std::span<std::byte> destination, std::uint64_t from = 0) const;
    // Reads parts that ascend. A stored entry is read nowhere else, so that its checksum is not compared.
    void read(const std::string& name, std::span<const ZipPiece> pieces) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The library's name and version, as "libzip 1.7.3".
std::string zipLibrary();

} // namespace earshot::model
