// Files that are there whole or not at all: written under a temporary name in the same folder, brought to the
// disk, then renamed. What a killed program leaves behind are temporary files only, which the next run
// removes. Any thread; each PendingFile one at a time.
#pragma once

#include "Core/Base/PartialFile.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace earshot::batch {

using earshot::WriteError;

class PendingFile {
  public:
    // Makes the folders above `target`; the temporary file itself is its writer's to make.
    explicit PendingFile(std::filesystem::path target);
    ~PendingFile(); // removes what was not committed
    PendingFile(PendingFile&& other) noexcept;
    PendingFile& operator=(PendingFile&&) = delete;

    const std::filesystem::path& temporary() const { return temporary_; }
    const std::filesystem::path& target() const { return target_; }

    // Everything on disk under its own name. Throws WriteError.
    static void commit(std::span<PendingFile> files);

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_; // empty once committed
};

// A new file written from its beginning to its end, not yet brought to the disk. Throws WriteError.
class FileWriter {
  public:
    explicit FileWriter(std::filesystem::path file);
    ~FileWriter();
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void write(std::string_view bytes);
    // What could not be written shows here at the latest.
    void close();

  private:
    std::filesystem::path file_;
    int descriptor_;
};
void writeAtomically(const std::filesystem::path& target, std::string_view bytes);

// Temporary files that lie directly in the folder go; says how many.
std::size_t removePartialFiles(const std::filesystem::path& folder);

} // namespace earshot::batch
