// Stand-ins for operator new and for the C library's file functions and clock.
#include "Failures/Faults.h"
#include "Failures/Judge.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <span>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace earshot::faults {

namespace {

std::atomic<std::int64_t> live = 0;
std::atomic<bool> ownClock = false;
std::atomic<std::int64_t> ticks = 0;

constexpr std::array<Failure, 1> noMemory = {Failure::memory};
constexpr std::array<Failure, 1> denies = {Failure::denied};
constexpr std::array<Failure, 1> breaks = {Failure::broken};
constexpr std::array<Failure, 1> fills = {Failure::full};
constexpr std::array<Failure, 2> opensToRead = {Failure::denied, Failure::tooMany};
constexpr std::array<Failure, 2> opensToWrite = {Failure::full, Failure::denied};
constexpr std::array<Failure, 3> reads = {Failure::broken, Failure::interrupted, Failure::half};
constexpr std::array<Failure, 3> writes = {Failure::full, Failure::interrupted, Failure::half};

// operator new, of any kind: null when it is to fail or nothing is left.
void* allocate(std::size_t size, std::size_t alignment) {
    if (judge("operator new", noMemory).fails) return nullptr;
    void* memory = nullptr;
    if (alignment <= alignof(std::max_align_t))
        memory = std::malloc(std::max<std::size_t>(size, 1));
    else if (::posix_memalign(&memory, alignment, std::max<std::size_t>(size, 1)) != 0)
        memory = nullptr;
    if (memory != nullptr) live.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

void* allocateOrThrow(std::size_t size, std::size_t alignment = 0) {
    void* memory = allocate(size, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void release(void* memory) noexcept {
    if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
    std::free(memory); // NOLINT: it came from malloc()
}

int codeOf(Failure failure) {
    switch (failure) {
    case Failure::full:
        return ENOSPC;
    case Failure::denied:
        return EACCES;
    case Failure::tooMany:
        return EMFILE;
    case Failure::interrupted:
        return EINTR;
    default:
        return EIO;
    }
}

// True when the call is to fail; errno says why then.
bool fails(const char* function, std::span<const Failure> failures) {
    const Verdict verdict = judge(function, failures);
    if (verdict.fails) errno = codeOf(verdict.failure);
    return verdict.fails;
}

std::span<const Failure> failuresOfOpening(int flags) {
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0) return opensToWrite;
    return opensToRead;
}

std::span<const Failure> failuresOfOpening(const char* mode) {
    if (std::strpbrk(mode, "wa+") != nullptr) return opensToWrite;
    return opensToRead;
}

} // namespace

std::int64_t liveObjects() { return live.load(); }

void setOwnClock(bool own) {
    ticks = 0;
    ownClock = own;
}

} // namespace earshot::faults

using namespace earshot::faults;

void* operator new(std::size_t size) { return allocateOrThrow(size); }
void* operator new[](std::size_t size) { return allocateOrThrow(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocateOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocateOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

#define EARSHOT_STAND_IN extern "C" __attribute__((visibility("default")))

// A function that fails with -1 (or null) and an errno.
#define EARSHOT_FAILS(result, function, parameters, arguments, suffix, failures, failed_)                    \
    EARSHOT_STAND_IN result function parameters suffix {                                                     \
        static auto* const next = real<result parameters>(#function);                                        \
        if (fails(#function, failures)) return failed_;                                                      \
        return next arguments;                                                                               \
    }

#define EARSHOT_OPENS(function)                                                                              \
    EARSHOT_STAND_IN int function(const char* path, int flags, ...) {                                        \
        static auto* const next = real<int(const char*, int, ...)>(#function);                               \
        va_list more;                                                                                        \
        va_start(more, flags);                                                                               \
        const int mode_ = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, int) : 0;                      \
        va_end(more);                                                                                        \
        if (fails(#function, failuresOfOpening(flags))) return -1;                                           \
        return next(path, flags, mode_);                                                                     \
    }

#define EARSHOT_OPENS_AT(function)                                                                           \
    EARSHOT_STAND_IN int function(int folder, const char* path, int flags, ...) {                            \
        static auto* const next = real<int(int, const char*, int, ...)>(#function);                          \
        va_list more;                                                                                        \
        va_start(more, flags);                                                                               \
        const int mode_ = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, int) : 0;                      \
        va_end(more);                                                                                        \
        if (fails(#function, failuresOfOpening(flags))) return -1;                                           \
        return next(folder, path, flags, mode_);                                                             \
    }

// A function that transfers `count` bytes: it may also stop early.
#define EARSHOT_TRANSFERS(function, parameters, arguments, failures)                                         \
    EARSHOT_STAND_IN ssize_t function parameters {                                                           \
        static auto* const next = real<ssize_t parameters>(#function);                                       \
        const Verdict verdict = judge(#function, failures);                                                  \
        if (verdict.fails && verdict.failure == Failure::half) {                                             \
            count = (count + 1) / 2;                                                                         \
        } else if (verdict.fails) {                                                                          \
            errno = codeOf(verdict.failure);                                                                 \
            return -1;                                                                                       \
        }                                                                                                    \
        return next arguments;                                                                               \
    }

#ifdef __GLIBC__

EARSHOT_OPENS(open)
EARSHOT_OPENS(open64)
EARSHOT_OPENS_AT(openat)
EARSHOT_OPENS_AT(openat64)
EARSHOT_FAILS(int, __open_2, (const char* path, int flags), (path, flags), , failuresOfOpening(flags), -1)
EARSHOT_FAILS(int, __open64_2, (const char* path, int flags), (path, flags), , failuresOfOpening(flags), -1)
EARSHOT_FAILS(int, creat, (const char* path, mode_t access), (path, access), , opensToWrite, -1)
EARSHOT_FAILS(int, creat64, (const char* path, mode_t access), (path, access), , opensToWrite, -1)
EARSHOT_FAILS(FILE*, fopen, (const char* path, const char* how), (path, how), , failuresOfOpening(how),
              nullptr)
EARSHOT_FAILS(FILE*, fopen64, (const char* path, const char* how), (path, how), , failuresOfOpening(how),
              nullptr)
EARSHOT_FAILS(DIR*, opendir, (const char* path), (path), , opensToRead, nullptr)
EARSHOT_FAILS(DIR*, fdopendir, (int file), (file), , denies, nullptr)
EARSHOT_FAILS(dirent*, readdir, (DIR * folder), (folder), , breaks, nullptr)
EARSHOT_FAILS(dirent64*, readdir64, (DIR * folder), (folder), , breaks, nullptr)

EARSHOT_TRANSFERS(read, (int file, void* bytes, size_t count), (file, bytes, count), reads)
EARSHOT_TRANSFERS(__read_chk, (int file, void* bytes, size_t count, size_t room), (file, bytes, count, room),
                  reads)
EARSHOT_TRANSFERS(pread, (int file, void* bytes, size_t count, off_t at), (file, bytes, count, at), reads)
EARSHOT_TRANSFERS(pread64, (int file, void* bytes, size_t count, off64_t at), (file, bytes, count, at), reads)
EARSHOT_TRANSFERS(write, (int file, const void* bytes, size_t count), (file, bytes, count), writes)
EARSHOT_TRANSFERS(pwrite, (int file, const void* bytes, size_t count, off_t at), (file, bytes, count, at),
                  writes)
EARSHOT_TRANSFERS(pwrite64, (int file, const void* bytes, size_t count, off64_t at), (file, bytes, count, at),
                  writes)
EARSHOT_TRANSFERS(sendfile, (int to, int from, off_t* at, size_t count), (to, from, at, count), writes)
EARSHOT_TRANSFERS(sendfile64, (int to, int from, off64_t* at, size_t count), (to, from, at, count), writes)
EARSHOT_TRANSFERS(copy_file_range,
                  (int from, off64_t* fromAt, int to, off64_t* toAt, size_t count, unsigned flags),
                  (from, fromAt, to, toAt, count, flags), writes)
// Of parts; half of them is one part less.
EARSHOT_TRANSFERS(writev, (int file, const iovec* parts, int count), (file, parts, count), writes)
EARSHOT_TRANSFERS(readv, (int file, const iovec* parts, int count), (file, parts, count), reads)

EARSHOT_STAND_IN size_t fread(void* bytes, size_t size, size_t count, FILE* file) {
    static auto* const next = real<size_t(void*, size_t, size_t, FILE*)>("fread");
    if (fails("fread", breaks)) {
        constexpr int errorSeen = 0x20; // glibc's _IO_ERR_SEEN
        file->_flags |= errorSeen;
        return 0;
    }
    return next(bytes, size, count, file);
}

// The descriptor is closed all the same, as Linux does.
EARSHOT_STAND_IN int close(int file) {
    static auto* const next = real<int(int)>("close");
    if (!fails("close", breaks)) return next(file);
    const int code = errno;
    next(file);
    errno = code;
    return -1;
}

// What is brought to the disk need not be for these tests, which no power cut follows.
EARSHOT_STAND_IN int fsync(int) { return fails("fsync", breaks) ? -1 : 0; }
EARSHOT_STAND_IN int fdatasync(int) { return fails("fdatasync", breaks) ? -1 : 0; }

EARSHOT_STAND_IN int rename(const char* from, const char* to) noexcept {
    static auto* const next = real<int(const char*, const char*)>("rename");
    if (fails("rename", denies)) return -1;
    noteRename(from, to);
    return next(from, to);
}
EARSHOT_STAND_IN int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
                               unsigned flags) noexcept {
    static auto* const next = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
    if (fails("renameat2", denies)) return -1;
    noteRename(from, to);
    return next(fromFolder, from, toFolder, to, flags);
}
EARSHOT_STAND_IN int link(const char* from, const char* to) noexcept {
    static auto* const next = real<int(const char*, const char*)>("link");
    if (fails("link", denies)) return -1;
    noteRename(from, to);
    return next(from, to);
}
EARSHOT_FAILS(int, renameat, (int fromFolder, const char* from, int toFolder, const char* to),
              (fromFolder, from, toFolder, to), noexcept, denies, -1)
EARSHOT_FAILS(int, linkat, (int fromFolder, const char* from, int toFolder, const char* to, int flags),
              (fromFolder, from, toFolder, to, flags), noexcept, denies, -1)
EARSHOT_FAILS(int, symlink, (const char* from, const char* to), (from, to), noexcept, denies, -1)
EARSHOT_FAILS(int, mkdir, (const char* path, mode_t access), (path, access), noexcept, fills, -1)
EARSHOT_FAILS(int, mkdirat, (int folder, const char* path, mode_t access), (folder, path, access), noexcept,
              fills, -1)
EARSHOT_FAILS(int, unlink, (const char* path), (path), noexcept, denies, -1)
EARSHOT_FAILS(int, unlinkat, (int folder, const char* path, int flags), (folder, path, flags), noexcept,
              denies, -1)
EARSHOT_FAILS(int, remove, (const char* path), (path), noexcept, denies, -1)
EARSHOT_FAILS(int, rmdir, (const char* path), (path), noexcept, denies, -1)
EARSHOT_FAILS(int, ftruncate, (int file, off_t size), (file, size), noexcept, breaks, -1)
EARSHOT_FAILS(int, ftruncate64, (int file, off64_t size), (file, size), noexcept, breaks, -1)
EARSHOT_FAILS(int, stat, (const char* path, struct stat* status), (path, status), noexcept, denies, -1)
EARSHOT_FAILS(int, stat64, (const char* path, struct stat64* status), (path, status), noexcept, denies, -1)
EARSHOT_FAILS(int, lstat, (const char* path, struct stat* status), (path, status), noexcept, denies, -1)
EARSHOT_FAILS(int, lstat64, (const char* path, struct stat64* status), (path, status), noexcept, denies, -1)
EARSHOT_FAILS(int, fstat, (int file, struct stat* status), (file, status), noexcept, breaks, -1)
EARSHOT_FAILS(int, fstat64, (int file, struct stat64* status), (file, status), noexcept, breaks, -1)
EARSHOT_FAILS(int, fstatat, (int folder, const char* path, struct stat* status, int flags),
              (folder, path, status, flags), noexcept, denies, -1)
EARSHOT_FAILS(int, fstatat64, (int folder, const char* path, struct stat64* status, int flags),
              (folder, path, status, flags), noexcept, denies, -1)
EARSHOT_FAILS(int, statx, (int folder, const char* path, int flags, unsigned mask, struct statx* status),
              (folder, path, flags, mask, status), noexcept, denies, -1)
EARSHOT_FAILS(int, access, (const char* path, int how), (path, how), noexcept, denies, -1)
EARSHOT_FAILS(int, flock, (int file, int how), (file, how), noexcept, breaks, -1)
EARSHOT_FAILS(int, chmod, (const char* path, mode_t access), (path, access), noexcept, denies, -1)
EARSHOT_FAILS(int, fchmod, (int file, mode_t access), (file, access), noexcept, denies, -1)
EARSHOT_FAILS(ssize_t, readlink, (const char* path, char* target, size_t room), (path, target, room),
              noexcept, denies, -1)
EARSHOT_FAILS(char*, realpath, (const char* path, char* resolved), (path, resolved), noexcept, denies,
              nullptr)

EARSHOT_STAND_IN int clock_gettime(clockid_t clock, timespec* time) noexcept {
    static auto* const next = real<int(clockid_t, timespec*)>("clock_gettime");
    if (!ownClock) return next(clock, time);
    constexpr std::int64_t perSecond = 1'000'000;
    const std::int64_t microseconds = ++ticks;
    time->tv_sec = 1'700'000'000 + microseconds / perSecond;
    time->tv_nsec = microseconds % perSecond * 1000;
    return 0;
}

#endif
