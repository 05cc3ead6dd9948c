// The entries of a zip archive, read whole. The only user of libzip. One thread at a time.
#pragma once

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
    // Throws earshot::Error when the file is no complete zip archive.
    explicit ZipArchive(const std::filesystem::path& file);
    ~ZipArchive();

    const std::vector<std::string>& names() const; // in the archive's order
    bool contains(const std::string& name) const;
    // Unpacked size in bytes, which the archive's own size makes possible. Throws earshot::Error when the
    // entry is missing, encrypted, or packed in another way than stored or deflated.
    std::uint64_t size(const std::string& name) const;
    // Reads all of an entry; destination.size() is its size. Throws earshot::Error when bytes are damaged.
    void read(const std::string& name, std::span<std::byte> destination) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::model
