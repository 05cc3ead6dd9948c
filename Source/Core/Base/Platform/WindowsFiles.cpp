#include "Core/Base/Platform/Files.h"

#include <algorithm>
#include <cerrno>
#include <cwchar>
#include <string>

#include <fcntl.h>
#include <io.h>
#include <windows.h>

namespace earshot::platform {

namespace fs = std::filesystem;

namespace {

// The nearest errno of the last call's failure.
int errnoOf(DWORD failure) {
    switch (failure) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
        return ENOENT;
    case ERROR_INVALID_NAME:
        return EINVAL;
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_WRITE_PROTECT:
        return EROFS;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING:
        return EWOULDBLOCK;
    case ERROR_SHARING_VIOLATION:
        return EBUSY;
    case ERROR_NOT_READY:
    case ERROR_CRC:
    case ERROR_DEV_NOT_EXIST:
        return EIO;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        return EPIPE;
    case ERROR_INVALID_HANDLE:
        return EBADF;
    default:
        return EACCES;
    }
}

bool done(BOOL success) {
    if (success == 0) errno = errnoOf(GetLastError());
    return success != 0;
}

HANDLE handleOf(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// The path in the form that has no limit of 260 characters.
std::wstring longPath(const fs::path& file) {
    std::error_code failure;
    const fs::path whole = fs::absolute(file, failure);
    std::wstring text = (failure ? file : whole.lexically_normal()).wstring();
    constexpr std::size_t longest = 240; // of the ordinary form, with room for a short file name
    if (text.size() < longest || text.starts_with(L"\\\\")) return text;
    return L"\\\\?\\" + text;
}

// All sharing is allowed: as elsewhere, an open file can be renamed and removed.
Descriptor opened(const fs::path& file, DWORD access, DWORD creation, Links links, int flags) {
    DWORD attributes = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS;
    if (links == Links::notFollowed) attributes |= FILE_FLAG_OPEN_REPARSE_POINT;
    HANDLE handle =
        CreateFileW(longPath(file).c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, creation, attributes, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = errnoOf(GetLastError());
        return Descriptor();
    }
    const int descriptor =
        _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
    if (descriptor < 0) CloseHandle(handle);
    return Descriptor(descriptor);
}

FileStatus converted(const BY_HANDLE_FILE_INFORMATION& info) {
    const auto whole = [](DWORD high, DWORD low) { return static_cast<std::uint64_t>(high) << 32 | low; };
    FileStatus status;
    status.kind = (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? FileKind::link
                  : (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0   ? FileKind::folder
                                                                              : FileKind::regular;
    status.size = whole(info.nFileSizeHigh, info.nFileSizeLow);
    constexpr std::int64_t step = 100; // ns
    status.changed = static_cast<std::int64_t>(
                         whole(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime)) *
                     step;
    status.identity = {info.dwVolumeSerialNumber, whole(info.nFileIndexHigh, info.nFileIndexLow)};
    return status;
}

} // namespace

Descriptor::~Descriptor() {
    if (number_ < 0) return;
    const int code = errno;
    _close(number_);
    errno = code;
}

std::optional<FileStatus> statusOf(const fs::path& file, Links links) {
    const Descriptor descriptor = opened(file, FILE_READ_ATTRIBUTES, OPEN_EXISTING, links, _O_RDONLY);
    return descriptor.isOpen() ? statusOf(descriptor.number()) : std::nullopt;
}

std::optional<FileStatus> statusOf(int descriptor) {
    HANDLE handle = handleOf(descriptor);
    FileStatus status;
    switch (GetFileType(handle)) {
    case FILE_TYPE_CHAR:
        status.kind = FileKind::characterDevice;
        return status;
    case FILE_TYPE_PIPE:
        status.kind = FileKind::pipe;
        return status;
    default:
        break;
    }
    BY_HANDLE_FILE_INFORMATION info{};
    return done(GetFileInformationByHandle(handle, &info)) ? std::optional(converted(info)) : std::nullopt;
}

Descriptor openToRead(const fs::path& file, Links links) {
    return opened(file, GENERIC_READ, OPEN_EXISTING, links, _O_RDONLY);
}

Descriptor openExisting(const fs::path& file) {
    return opened(file, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING, Links::notFollowed, _O_RDWR);
}

Descriptor openOrCreate(const fs::path& file) {
    return opened(file, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, Links::notFollowed, _O_RDWR);
}

Descriptor createNew(const fs::path& file) {
    return opened(file, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, Links::notFollowed, _O_RDWR);
}

Descriptor openPipe(const fs::path& file) { return openToRead(file); }

Descriptor openToWrite(const fs::path& file) {
    return opened(file, GENERIC_WRITE, OPEN_EXISTING, Links::followed, _O_WRONLY);
}

Descriptor openToAppend(const fs::path& file) {
    return opened(file, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, Links::followed, _O_RDWR | _O_APPEND);
}

Descriptor duplicate(int descriptor) { return Descriptor(_dup(descriptor)); }

Descriptor createUnnamed(const fs::path& folder) {
    wchar_t name[MAX_PATH];
    if (GetTempFileNameW(folder.wstring().c_str(), L"ear", 0, name) == 0) {
        errno = errnoOf(GetLastError());
        return Descriptor();
    }
    HANDLE handle = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, nullptr, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = errnoOf(GetLastError());
        return Descriptor();
    }
    return Descriptor(
        _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_RDWR | _O_BINARY | _O_NOINHERIT));
}

std::ptrdiff_t read(int descriptor, void* destination, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    return _read(descriptor, destination, static_cast<unsigned>(std::min(bytes, most)));
}

std::ptrdiff_t readAt(int descriptor, void* destination, std::size_t bytes, std::uint64_t position) {
    constexpr std::size_t most = std::size_t{1} << 30;
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(position);
    place.OffsetHigh = static_cast<DWORD>(position >> 32);
    DWORD count = 0;
    if (ReadFile(handleOf(descriptor), destination, static_cast<DWORD>(std::min(bytes, most)), &count,
                 &place) != 0)
        return static_cast<std::ptrdiff_t>(count);
    if (GetLastError() == ERROR_HANDLE_EOF) return 0;
    errno = errnoOf(GetLastError());
    return -1;
}

// Windows cannot wait for a pipe: read() waits, and Ctrl-C ends it.
bool waitForInput(int, int) { return true; }

std::ptrdiff_t write(int descriptor, const void* source, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    return _write(descriptor, source, static_cast<unsigned>(std::min(bytes, most)));
}

std::int64_t seek(int descriptor, std::int64_t offset, int whence) {
    return _lseeki64(descriptor, offset, whence);
}

bool cut(int descriptor, std::uint64_t bytes) {
    return _chsize_s(descriptor, static_cast<std::int64_t>(bytes)) == 0;
}

std::FILE* streamOf(int descriptor, const char* mode) { return _fdopen(descriptor, mode); }

bool sync(int descriptor) {
    if (FlushFileBuffers(handleOf(descriptor)) != 0) return true;
    if (GetLastError() == ERROR_ACCESS_DENIED) return true; // it is open for reading alone
    return done(0);
}

void beginSync(int) {}

bool syncFolder(const fs::path&) { return true; } // NTFS keeps a journal of its entries

bool lock(int descriptor) {
    // Locks on Windows keep others from reading and writing: this one lies far behind any file's end.
    OVERLAPPED place{};
    place.OffsetHigh = 0x40000000;
    return done(LockFileEx(handleOf(descriptor), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                           &place));
}

bool hasRecordLocks(int) { return true; }

bool setMode(int, unsigned) { return true; } // a new file has its folder's permissions

bool isWritable(const fs::path& file) {
    const DWORD attributes = GetFileAttributesW(longPath(file).c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) return done(0);
    if ((attributes & FILE_ATTRIBUTE_READONLY) == 0) return true;
    errno = EACCES;
    return false;
}

bool rename(const fs::path& from, const fs::path& to) {
    return done(MoveFileExW(longPath(from).c_str(), longPath(to).c_str(),
                            MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}

bool link(const fs::path& from, const fs::path& to) {
    return done(CreateHardLinkW(longPath(to).c_str(), longPath(from).c_str(), nullptr));
}

bool remove(const fs::path& file) { return done(DeleteFileW(longPath(file).c_str())); }

} // namespace earshot::platform
