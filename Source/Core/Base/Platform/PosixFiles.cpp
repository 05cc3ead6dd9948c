#include "Core/Base/Platform/Files.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace earshot::platform {

namespace fs = std::filesystem;

namespace {

FileKind kindOf(mode_t mode) {
    if (S_ISREG(mode)) return FileKind::regular;
    if (S_ISDIR(mode)) return FileKind::folder;
    if (S_ISFIFO(mode)) return FileKind::pipe;
    if (S_ISCHR(mode)) return FileKind::characterDevice;
    if (S_ISLNK(mode)) return FileKind::link;
    return FileKind::other;
}

FileStatus converted(const struct stat& status) {
#ifdef __APPLE__
    const auto& changed = status.st_mtimespec;
#else
    const auto& changed = status.st_mtim;
#endif
    return {
        .kind = kindOf(status.st_mode),
        .size = static_cast<std::uint64_t>(status.st_size),
        .changed = static_cast<std::int64_t>(changed.tv_sec) * 1000000000 + changed.tv_nsec,
        .identity = {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)},
        .mode = status.st_mode & 0777u};
}

} // namespace

Descriptor::~Descriptor() {
    if (number_ < 0) return;
    const int code = errno;
    ::close(number_);
    errno = code;
}

std::optional<FileStatus> statusOf(const fs::path& file, Links links) {
    struct stat status {};
    const bool known =
        (links == Links::followed ? ::stat(file.c_str(), &status) : ::lstat(file.c_str(), &status)) == 0;
    return known ? std::optional(converted(status)) : std::nullopt;
}

std::optional<FileStatus> statusOf(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? std::optional(converted(status)) : std::nullopt;
}

Descriptor openToRead(const fs::path& file, Links links) {
    return Descriptor(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY |
                                               (links == Links::followed ? 0 : O_NOFOLLOW)));
}

Descriptor openExisting(const fs::path& file) {
    return Descriptor(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

Descriptor openOrCreate(const fs::path& file) {
    return Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
}

Descriptor createNew(const fs::path& file) {
    return Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
}

Descriptor openPipe(const fs::path& file) {
    return Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
}

Descriptor openToWrite(const fs::path& file) {
    return Descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
}

Descriptor openToAppend(const fs::path& file) {
    return Descriptor(
        ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666));
}

Descriptor duplicate(int descriptor) { return Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

Descriptor createUnnamed(const fs::path& folder) {
    std::string path = (folder / "earshot-XXXXXX").string();
    Descriptor descriptor(::mkstemp(path.data()));
    if (descriptor.isOpen()) ::unlink(path.c_str());
    return descriptor;
}

std::ptrdiff_t read(int descriptor, void* destination, std::size_t bytes) {
    return ::read(descriptor, destination, bytes);
}

std::ptrdiff_t readAt(int descriptor, void* destination, std::size_t bytes, std::uint64_t position) {
    return ::pread(descriptor, destination, bytes, static_cast<off_t>(position));
}

bool waitForInput(int descriptor, int milliseconds) {
    pollfd wanted{descriptor, POLLIN, 0};
    return ::poll(&wanted, 1, milliseconds) > 0;
}

std::ptrdiff_t write(int descriptor, const void* source, std::size_t bytes) {
    return ::write(descriptor, source, bytes);
}

std::int64_t seek(int descriptor, std::int64_t offset, int whence) {
    return ::lseek(descriptor, static_cast<off_t>(offset), whence);
}

bool cut(int descriptor, std::uint64_t bytes) {
    return ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

std::FILE* streamOf(int descriptor, const char* mode) { return ::fdopen(descriptor, mode); }

bool sync(int descriptor) { return ::fsync(descriptor) == 0; }

void beginSync([[maybe_unused]] int descriptor) {
#if defined(SYNC_FILE_RANGE_WRITE)
    ::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

bool syncFolder(const fs::path& folder) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A folder may be writable but not readable. Its entries then reach the disk a little later.
    if (!opened.isOpen()) return errno == EACCES;
    // Some file systems cannot sync a folder.
    return ::fsync(opened.number()) == 0 || errno == EINVAL;
}

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

bool hasRecordLocks(int descriptor) {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_len = 1;
    if (::fcntl(descriptor, F_SETLK, &range) == 0) {
        range.l_type = F_UNLCK;
        ::fcntl(descriptor, F_SETLK, &range);
        return true;
    }
    return errno == EAGAIN || errno == EACCES || errno == EINTR; // another has it
}

bool setMode(int descriptor, unsigned mode) { return ::fchmod(descriptor, static_cast<mode_t>(mode)) == 0; }

bool isWritable(const fs::path& file) { return ::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0; }

bool rename(const fs::path& from, const fs::path& to) { return std::rename(from.c_str(), to.c_str()) == 0; }

bool link(const fs::path& from, const fs::path& to) { return ::link(from.c_str(), to.c_str()) == 0; }

bool remove(const fs::path& file) { return ::unlink(file.c_str()) == 0; }

} // namespace earshot::platform
