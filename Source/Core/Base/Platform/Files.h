// The system's calls on files, one set for each system (PosixFiles.cpp, WindowsFiles.cpp). Each does what its
// POSIX namesake does: a failure is an empty, negative or false result with the reason in errno. Descriptors
// are those of the C library. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

namespace earshot::platform {

// An open file, closed by the destructor. Closing keeps errno.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) noexcept
        : number_(number) {}
    Descriptor(Descriptor&& other) noexcept
        : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    bool isOpen() const { return number_ >= 0; }
    int number() const { return number_; }
    int release() { return std::exchange(number_, -1); } // the caller closes it

  private:
    int number_;
};

enum class FileKind { regular, folder, pipe, characterDevice, link, other };
enum class Links { followed, notFollowed };

struct FileStatus {
    FileKind kind = FileKind::other;
    std::uint64_t size = 0;                                // bytes
    std::int64_t changed = 0;                              // nanoseconds, from an origin of the system's
    std::pair<std::uint64_t, std::uint64_t> identity = {}; // the device, and the file on it
    unsigned mode = 0;                                     // permissions; 0 on Windows
};

std::optional<FileStatus> statusOf(const std::filesystem::path& file, Links links = Links::followed);
std::optional<FileStatus> statusOf(int descriptor);

// Return at once, whatever the path names: a pipe does not wait for its writer.
Descriptor openToRead(const std::filesystem::path& file, Links links = Links::followed);
Descriptor openExisting(const std::filesystem::path& file); // for reading and writing; no link is followed
Descriptor openOrCreate(const std::filesystem::path& file); // the same
Descriptor createNew(const std::filesystem::path& file);    // for reading and writing; EEXIST if it is there
Descriptor openPipe(const std::filesystem::path& file);     // waits for a writer
Descriptor openToWrite(const std::filesystem::path& file);  // a device or a pipe
Descriptor openToAppend(const std::filesystem::path& file); // makes it; each write() goes to the end
Descriptor duplicate(int descriptor);
// A file without a name in the folder. It is gone when it is closed, however the program ends.
Descriptor createUnnamed(const std::filesystem::path& folder);

// Bytes, 0 at the end, or -1.
std::ptrdiff_t read(int descriptor, void* destination, std::size_t bytes);
std::ptrdiff_t readAt(int descriptor, void* destination, std::size_t bytes, std::uint64_t position);
bool waitForInput(int descriptor, int milliseconds); // whether read() returns at once, with bytes or not
std::ptrdiff_t write(int descriptor, const void* source, std::size_t bytes);
std::int64_t seek(int descriptor, std::int64_t offset, int whence); // the new position
bool cut(int descriptor, std::uint64_t bytes);                      // to that size
std::FILE* streamOf(int descriptor, const char* mode);              // owns the descriptor

bool sync(int descriptor);                          // to the disk
void beginSync(int descriptor);                     // so that sync() waits less, where a system can
bool syncFolder(const std::filesystem::path& file); // its entries; systems without this do nothing
// Locks the file against other programs that lock it, until it is closed or the program ends. EWOULDBLOCK if
// another holds it.
bool lock(int descriptor);
// Whether the file system has the locks that SQLite needs (fcntl): some network shares have none. False with
// errno if not.
bool hasRecordLocks(int descriptor);
bool setMode(int descriptor, unsigned mode);
bool isWritable(const std::filesystem::path& file);
bool rename(const std::filesystem::path& from, const std::filesystem::path& to); // replaces `to`
bool link(const std::filesystem::path& from, const std::filesystem::path& to);   // another name of the file
bool remove(const std::filesystem::path& file);

} // namespace earshot::platform
