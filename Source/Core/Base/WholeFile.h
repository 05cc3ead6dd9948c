// A file that appears whole or not at all. It is written under a temporary name beside its target, synced to
// the disk and renamed, so that readers of the target see either the old content or the new one. This is the
// one way in which Earshot writes regular files. Any thread may own one; each is used by one thread at a
// time.
//
// The temporary file is created new (O_EXCL, O_NOFOLLOW) under a name that follows from the target, and is
// locked (flock) while its writer lives. It is removed or renamed by who holds that lock alone, and its
// writer begins once the name still leads to the file it has locked. So each result is one writer's: a second
// writer waits for 0.2 s and then fails, and of two that follow each other the later one's file stays. The
// lock of a killed program is gone, so the next writer of the same target removes its temporary file, and so
// does removeTemporaries(). Where a file system has no locks, names are random and nobody shares them;
// leftovers there are removed after a day. A target that is a link stands for the file to which it leads. A
// replaced file keeps its mode.
//
//     WholeFile file("events.csv");
//     file.write(text);
//     file.commit();
#pragma once

#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot {

// Thrown when a result cannot be written. The message names the result and says what to do.
class WriteError : public Error {
  public:
    // Which results the failure concerns: a name that is too long concerns one, a full disk concerns all.
    enum class Reach { oneResult, allResults };

    explicit WriteError(const std::string& message, Reach reach = Reach::oneResult)
        : Error(message)
        , reach_(reach) {}
    Reach reach() const { return reach_; }

  private:
    Reach reach_;
};

// Builds the error for errno `code`: "FILE: cannot be written (why); what to do".
[[noreturn]] void failToWrite(const std::filesystem::path& file, int code);

class WholeFile {
  public:
    enum class MissingFolders { refused, made };

    // All functions throw WriteError naming the target.
    explicit WholeFile(std::filesystem::path target, MissingFolders folders = MissingFolders::refused);
    ~WholeFile(); // removes the temporary file unless it was committed
    WholeFile(WholeFile&& other) noexcept;
    WholeFile& operator=(WholeFile&&) = delete;

    // Writes at the end, or at the position of seek().
    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    void seek(std::uint64_t position);
    // Takes the contents of the regular file `from`, as a hard link or, if that fails, as a copy. Replaces
    // write().
    void takeFrom(const std::filesystem::path& from);

    // Call it once all is written, if commit() comes later: several files then reach the disk together.
    void beginSync();
    // From here on the target is the new file.
    void commit();
    // Commits several files. All contents are on the disk before the first is renamed.
    static void commit(std::span<WholeFile> files);
    // The same, but for the names, which syncFolders() puts on the disk. Adds the folders to `folders`.
    static void place(std::span<WholeFile> files, std::set<std::filesystem::path>& folders);
    static void syncFolders(const std::set<std::filesystem::path>& folders);

    const std::filesystem::path& target() const { return target_; }
    // The path for libraries that write by name (SQLite). The file is empty until they do.
    const std::filesystem::path& temporary() const { return temporary_; }

  private:
    bool createUnder(const std::filesystem::path& name);
    void createTemporary();
    void createWithoutLocks();
    void keepMode() const;
    void writeOut(const char* from, std::size_t bytes);
    void flush();
    void sync();
    void linkIntoPlace();
    void putIntoPlace();

    std::filesystem::path target_;    // as the caller gave it
    std::filesystem::path place_;     // the file to which a link leads
    std::filesystem::path temporary_; // empty once committed
    platform::Descriptor descriptor_;
    platform::Descriptor source_; // open if the target becomes another name of a file that stays
    std::filesystem::path sourceFile_;
    std::vector<char> buffer_;
};

// Writes a whole file with these bytes.
void writeWholeFile(const std::filesystem::path& target, std::string_view bytes,
                    WholeFile::MissingFolders folders = WholeFile::MissingFolders::refused);

// Tests before the work whether its result can be written. Throws WriteError as WholeFile would, and leaves
// nothing behind.
void requireWritable(const std::filesystem::path& target);

// Removes the temporary files that killed programs left directly in the folder, but not those of living
// writers. Returns how many.
std::size_t removeTemporaries(const std::filesystem::path& folder);

} // namespace earshot
