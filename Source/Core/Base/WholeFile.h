// A file that appears whole or not at all. It is written under a temporary name beside its target, brought to
// the disk and renamed, so that whoever reads the target sees the old content or the new one. The one way in
// which Earshot writes regular files. Any thread may own one; each is used by one thread at a time.
//
// The temporary file is created new (O_EXCL, O_NOFOLLOW) and is locked (flock) while its writer lives. What a
// killed program leaves behind is not locked: the next writer of the same target removes it, and so does
// removeTemporaries(). A target that is a link stands for the file that it leads to. The mode of a file that
// is replaced is kept.
//
//     WholeFile file("events.csv");
//     file.write(text);
//     file.commit();
#pragma once

#include "Core/Base/Error.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

// A result cannot be written. The message names the result and says what to do.
class WriteError : public Error {
  public:
    // Whether other results can be expected to be written: a name that is too long concerns one result, a
    // full disk concerns all.
    enum class Reach { oneResult, allResults };

    explicit WriteError(const std::string& message, Reach reach = Reach::oneResult)
        : Error(message)
        , reach_(reach) {}
    Reach reach() const { return reach_; }

  private:
    Reach reach_;
};

// For errno `code`, as "FILE: cannot be written (why); what to do".
[[noreturn]] void failToWrite(const std::filesystem::path& file, int code);

class WholeFile {
  public:
    enum class MissingFolders { refused, made };

    // All functions throw WriteError naming the target.
    explicit WholeFile(std::filesystem::path target, MissingFolders folders = MissingFolders::refused);
    ~WholeFile(); // removes the temporary file unless it was committed
    WholeFile(WholeFile&& other) noexcept;
    WholeFile& operator=(WholeFile&&) = delete;

    // At the end, unless seek() was called; then on from there.
    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    void seek(std::uint64_t position);
    // The contents are those of the regular file `from`, as a hard link or, where that cannot be, as a copy.
    // Instead of write().
    void takeFrom(const std::filesystem::path& from);

    // The target is the new file from here on.
    void commit();
    // All contents are on the disk before the first is renamed.
    static void commit(std::span<WholeFile> files);

    const std::filesystem::path& target() const { return target_; }
    // For libraries that write by name (SQLite): an empty file until they do.
    const std::filesystem::path& temporary() const { return temporary_; }

  private:
    void createTemporary();
    void keepMode() const;
    void writeOut(const char* from, std::size_t bytes);
    void flush();
    void sync();

    std::filesystem::path target_;    // as it was given
    std::filesystem::path place_;     // where a link leads
    std::filesystem::path temporary_; // empty once committed
    int descriptor_ = -1;
    bool linked_ = false; // the temporary file is another name of a file that stays
    std::vector<char> buffer_;
};

// A whole file with these bytes.
void writeWholeFile(const std::filesystem::path& target, std::string_view bytes,
                    WholeFile::MissingFolders folders = WholeFile::MissingFolders::refused);

// Before the work whose result goes there: throws WriteError as WholeFile would, and leaves nothing behind.
void requireWritable(const std::filesystem::path& target);

// Removes temporary files that killed programs left directly in the folder, and returns how many. Those of
// living writers stay.
std::size_t removeTemporaries(const std::filesystem::path& folder);

} // namespace earshot
