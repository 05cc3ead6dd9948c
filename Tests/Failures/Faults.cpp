#include "Failures/Faults.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <mutex>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

namespace earshot::faults {

namespace {

constexpr std::array<Excluded, 9> excluded = {{
    {"libgomp.", "", false,
     "exceptions may not pass it, so that nothing of ours may fail inside a parallel loop"},
    {"libdnnl.", "", false, "oneDNN: what it does when memory is short is its own"},
    {"libfftw3f.", "", false, "FFTW: its plans and its wisdom"},
    {"libcrypto.", "", false, "OpenSSL reads its configuration, and goes on without"},
    {"libOpenCL.", "", false, "oneDNN looks for devices"},
    {"ld-linux", "", false, "the loader"},
    {"libstdc++.", "directory_iterator", true,
     "it asks for memory in a function that may not throw, and ends the program (GCC 12)"},
    {"", "json_value7destroy", true,
     "nlohmann::json's destructor asks for memory, and ends the program where there is none"},
    {"", "basic_jsonI", true, "nlohmann::json's constructors lose what they hold when memory is short"},
}};

constexpr std::array<Excluded, 1> fatal = {{
    {"", "parseConfigMetadata", true, "it holds nlohmann::json's destructor"},
}};

// Memory of the harness itself, outside of operator new.
template <typename Item, std::size_t size>
class Store {
  public:
    Item& operator[](std::size_t index) {
        if (items_ == nullptr)
            items_ = static_cast<Item*>(::mmap(nullptr, size * sizeof(Item), PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        return items_[index];
    }
    static constexpr std::size_t capacity = size;

  private:
    Item* items_ = nullptr;
};

enum class Mode { off, recording, armed, armedByStack };

constexpr std::size_t mostFrames = 160;

struct Frames {
    std::array<void*, mostFrames> addresses{};
    std::size_t count = 0;
    std::uint64_t hash = 0;
    std::uint8_t excluded = 0;
};

std::atomic<Mode> mode = Mode::off;
std::atomic<std::uint32_t> run = 0; // number of the record() or arm()
std::atomic<std::uint32_t> nextThread = 0;
std::atomic<std::int64_t> live = 0;
std::atomic<bool> ownClock = false;
std::atomic<std::int64_t> ticks = 0;

Point wanted;
std::atomic<Fired> fired = Fired::no;
Frames failed;

std::mutex noting;                               // of what follows
Store<std::uint64_t, std::size_t{1} << 18> seen; // an open hash table
Store<Point, std::size_t{1} << 17> points;
std::size_t pointCount = 0;
Store<std::uint64_t, std::size_t{1} << 16> codes; // addresses whose library is known
Store<std::uint8_t, std::size_t{1} << 16> codeExcluded;
Store<Whole, std::size_t{1} << 12> wholes;
std::size_t wholeCount = 0;

struct Thread {
    std::uint32_t run = 0;
    std::uint32_t number = 0;
    std::uint32_t calls = 0;
    bool inside = false;        // the harness itself is at work
    std::uintptr_t outside = 0; // where on the stack what calls the scenario begins
};
constinit thread_local Thread self;

class Inside {
  public:
    Inside() { self.inside = true; }
    ~Inside() { self.inside = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

std::uint64_t mixed(std::uint64_t value) {
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

// The name of a function of this program, from its symbol table: dladdr() knows those that are exported.
class OwnNames {
  public:
    const char* find(std::uint64_t address) {
        if (!read_) read();
        for (const auto* symbol = first_; symbol != end_; ++symbol)
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && address >= base_ + symbol->st_value &&
                address < base_ + symbol->st_value + symbol->st_size)
                return names_ + symbol->st_name;
        return "";
    }

  private:
    void read() {
        read_ = true;
        ::dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* base) {
                *static_cast<std::uint64_t*>(base) = info->dlpi_addr;
                return 1; // this program comes first
            },
            &base_);
        const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (file < 0 || ::fstat(file, &status) != 0) return;
        const auto* bytes = static_cast<const char*>(
            ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0));
        ::close(file);
        if (bytes == MAP_FAILED) return;
        const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes);
        const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes + header->e_shoff);
        for (int i = 0; i < header->e_shnum; ++i) {
            if (sections[i].sh_type != SHT_SYMTAB) continue;
            first_ = reinterpret_cast<const Elf64_Sym*>(bytes + sections[i].sh_offset);
            end_ = first_ + sections[i].sh_size / sizeof(Elf64_Sym);
            names_ = bytes + sections[sections[i].sh_link].sh_offset;
        }
    }

    bool read_ = false;
    std::uint64_t base_ = 0;
    const Elf64_Sym* first_ = nullptr;
    const Elf64_Sym* end_ = nullptr;
    const char* names_ = nullptr;
};
OwnNames ownNames;

enum : std::uint8_t { excludedMemory = 1, excludedFiles = 2 };

// Which of its calls are left alone.
std::uint8_t excludedOf(void* address) {
    const auto key = reinterpret_cast<std::uint64_t>(address);
    std::size_t slot = mixed(key) % codes.capacity;
    while (codes[slot] != 0 && codes[slot] != key) slot = (slot + 1) % codes.capacity;
    if (codes[slot] == key) return codeExcluded[slot];
    std::uint8_t found = 0;
    Dl_info info{};
    if (::dladdr(address, &info) != 0 && info.dli_fname != nullptr) {
        const char* slash = std::strrchr(info.dli_fname, '/');
        const char* file = slash == nullptr ? info.dli_fname : slash + 1;
        const bool own = std::strncmp(file, "earshot_", 8) == 0;
        const char* function = own ? ownNames.find(key - 1) : info.dli_sname == nullptr ? "" : info.dli_sname;
        for (const Excluded& each : excluded) {
            const bool here =
                each.object[0] == '\0' ? own : std::strncmp(file, each.object, std::strlen(each.object)) == 0;
            if (here && std::strstr(function, each.function) != nullptr)
                found |= each.memoryOnly ? excludedMemory : excludedMemory | excludedFiles;
        }
    }
    codes[slot] = key;
    codeExcluded[slot] = found;
    return found;
}

_Unwind_Reason_Code addFrame(_Unwind_Context* context, void* to) {
    auto& frames = *static_cast<Frames*>(to);
    auto* address = reinterpret_cast<void*>(_Unwind_GetIP(context)); // NOLINT: the unwinder's own type
    if (address == nullptr || frames.count == frames.addresses.size()) return _URC_END_OF_STACK;
    if (self.outside != 0 && _Unwind_GetCFA(context) > self.outside) return _URC_END_OF_STACK;
    frames.addresses[frames.count++] = address;
    return _URC_NO_REASON;
}

void takeStack(Frames& frames) {
    frames.count = 0;
    _Unwind_Backtrace(addFrame, &frames);
    frames.hash = 0x9e3779b97f4a7c15u;
    frames.excluded = 0;
    const std::lock_guard lock(noting);
    // The first frames are the harness's own.
    for (std::size_t i = 1; i < frames.count; ++i) {
        frames.hash = mixed(frames.hash ^ reinterpret_cast<std::uint64_t>(frames.addresses[i]));
        frames.excluded |= excludedOf(frames.addresses[i]);
    }
    if (frames.hash == 0) frames.hash = 1;
}

void note(const Frames& frames, std::uint32_t call, const char* function, std::span<const Failure> failures) {
    const bool ofFile = failures.front() != Failure::memory;
    if ((frames.excluded & (ofFile ? excludedFiles : excludedMemory)) != 0) return;
    const std::lock_guard lock(noting);
    std::size_t slot = frames.hash % seen.capacity;
    while (seen[slot] != 0 && seen[slot] != frames.hash) slot = (slot + 1) % seen.capacity;
    if (seen[slot] == frames.hash) return;
    if (pointCount + failures.size() > points.capacity) {
        std::fputs("more places than there is room for\n", stderr);
        std::abort();
    }
    seen[slot] = frames.hash;
    for (const Failure failure : failures)
        points[pointCount++] = {frames.hash, self.number, call, function, failure};
}

// Whether this call is to fail, and how.
struct Verdict {
    bool fails = false;
    Failure failure = Failure::memory;
};

// Not inline: the frames from here on are the same for every call of a function.
__attribute__((noinline)) Verdict judge(const char* function, std::span<const Failure> failures) {
    const Mode now = mode.load(std::memory_order_acquire);
    if (now == Mode::off || self.inside) return {};
    const std::uint32_t current = run.load(std::memory_order_relaxed);
    if (self.run != current) {
        self.run = current;
        self.number = nextThread++;
        self.calls = 0;
    }
    const std::uint32_t call = self.calls++;
    if (now != Mode::recording) {
        if (fired.load() != Fired::no) return {};
        const bool ofFile = failures.front() != Failure::memory;
        if (ofFile != wanted.isFileCall()) return {};
        if (now == Mode::armed && (self.number != wanted.thread || call != wanted.call)) return {};
    }
    const Inside inside;
    const int code = errno;
    Frames frames;
    takeStack(frames);
    if (now == Mode::recording) {
        note(frames, call, function, failures);
        errno = code;
        return {};
    }
    errno = code;
    const bool right = frames.hash == wanted.stack;
    if (now == Mode::armedByStack && !right) return {};
    Fired none = Fired::no;
    if (!fired.compare_exchange_strong(none, right ? Fired::yes : Fired::elsewhere)) return {};
    failed = frames;
    return {right, wanted.failure};
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

template <typename Function>
Function* real(const char* function) {
    // Of realpath there is an older version, which dlsym would find.
    void* symbol = ::dlvsym(RTLD_NEXT, function, "GLIBC_2.3");
    if (symbol == nullptr) symbol = ::dlsym(RTLD_NEXT, function);
    return reinterpret_cast<Function*>(symbol);
}

std::uint64_t hashOfFile(const char* path) {
    std::uint64_t hash = 14695981039346656037u;
    static auto* const opens = real<int(const char*, int, ...)>("open");
    static auto* const reads = real<ssize_t(int, void*, size_t)>("read");
    static auto* const closes = real<int(int)>("close");
    const int descriptor = opens(path, O_RDONLY | O_CLOEXEC);
    std::array<unsigned char, 4096> block{};
    for (ssize_t count = 0; (count = reads(descriptor, block.data(), block.size())) > 0;)
        for (ssize_t i = 0; i < count; ++i)
            hash = (hash ^ block[static_cast<std::size_t>(i)]) * 1099511628211u;
    closes(descriptor);
    return hash;
}

void noteRename(const char* from, const char* to) {
    if (mode.load() != Mode::recording || self.inside) return;
    const Inside inside;
    const std::lock_guard lock(noting);
    if (wholeCount < wholes.capacity) wholes[wholeCount++] = {hashOf(to), hashOfFile(from)};
}

} // namespace

const char* name(Failure failure) {
    switch (failure) {
    case Failure::memory:
        return "no memory";
    case Failure::full:
        return "disk full";
    case Failure::denied:
        return "permission denied";
    case Failure::broken:
        return "input/output error";
    case Failure::tooMany:
        return "too many open files";
    case Failure::interrupted:
        return "interrupted";
    case Failure::half:
        return "cut short";
    }
    return "";
}

bool available() {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

void record() {
    for (std::size_t i = 0; i < seen.capacity; ++i) seen[i] = 0;
    pointCount = 0;
    wholeCount = 0;
    nextThread = 0;
    ticks = 0;
    ++run;
    mode.store(Mode::recording, std::memory_order_release);
}

std::vector<Point> recorded() {
    mode.store(Mode::off);
    std::vector<Point> all;
    for (std::size_t i = 0; i < pointCount; ++i) all.push_back(points[i]);
    return all;
}

void arm(const Point& point, bool everyStack) {
    wanted = point;
    fired = Fired::no;
    nextThread = 0;
    ticks = 0;
    ++run;
    mode.store(everyStack ? Mode::armedByStack : Mode::armed, std::memory_order_release);
}

void beginStackAt(const void* place) { self.outside = reinterpret_cast<std::uintptr_t>(place); }

Fired disarm() {
    mode.store(Mode::off);
    return fired;
}

std::span<void* const> failedStack() { return std::span(failed.addresses).first(failed.count); }

std::int64_t liveObjects() { return live.load(); }

void setOwnClock(bool own) {
    ticks = 0;
    ownClock = own;
}

std::vector<Whole> renamed() {
    std::vector<Whole> all;
    for (std::size_t i = 0; i < wholeCount; ++i) all.push_back(wholes[i]);
    return all;
}

std::uint64_t hashOf(std::string_view bytes) {
    std::uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

std::span<const Excluded> excludedCalls() { return excluded; }
std::span<const Excluded> fatalCalls() { return fatal; }

const char* functionAt(const void* address) {
    return ownNames.find(reinterpret_cast<std::uint64_t>(address) - 1);
}

} // namespace earshot::faults

using namespace earshot::faults;

namespace {

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
