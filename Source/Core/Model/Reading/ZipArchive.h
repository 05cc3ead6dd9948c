// The entries of a zip archive. The only user of libzip. One thread at a time.
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

class ZipArchive {
  public:
    // Reads the file itself, not what its path may come to name. Throws earshot::Error when it is no complete
    // zip archive.
    explicit ZipArchive(const RegularFile& file);
    ~ZipArchive();

    const std::vector<std::string>& names() const; // in the archive's order
    bool contains(const std::string& name) const;
    // Unpacked size in bytes, which the archive's own size makes possible. Throws earshot::Error when the
    // entry is missing, encrypted, or packed in another way than stored or deflated.
    std::uint64_t size(const std::string& name) const;
    // Reads a part of an entry, which lies within its size. The rest is read too, and dropped, for the
    // checksum at its end. Throws earshot::Error when bytes are damaged.
    void read(const std::string& name, std::span<std::byte> destination, std::uint64_t from = 0) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::model
