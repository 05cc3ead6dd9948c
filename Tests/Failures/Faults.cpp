#include "Failures/Faults.h"

#include "Failures/CallStack.h"
#include "Failures/Judge.h"
#include "Failures/Store.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace earshot::faults {

namespace {

enum class Mode { off, recording, armed, armedByStack };

std::atomic<Mode> mode = Mode::off;
std::atomic<std::uint32_t> run = 0; // number of the record() or arm()
std::atomic<std::uint32_t> nextThread = 0;

Point wanted;
std::atomic<Fired> fired = Fired::no;
Frames failed;

std::mutex noting;                               // of what follows
Store<std::uint64_t, std::size_t{1} << 18> seen; // an open hash table
Store<Point, std::size_t{1} << 17> points;
std::size_t pointCount = 0;
Store<Whole, std::size_t{1} << 12> wholes;
std::size_t wholeCount = 0;

struct Thread {
    std::uint32_t run = 0;
    std::uint32_t number = 0;
    std::uint32_t calls = 0;
    bool inside = false; // the harness itself is at work
};
constinit thread_local Thread self;

class Inside {
  public:
    Inside() { self.inside = true; }
    ~Inside() { self.inside = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

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

constexpr std::uint64_t hashOfNothing = 14695981039346656037u; // FNV-1a
std::uint64_t hashWith(std::uint64_t hash, std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

std::uint64_t hashOfFile(const char* path) {
    std::uint64_t hash = hashOfNothing;
    static auto* const opens = real<int(const char*, int, ...)>("open");
    static auto* const reads = real<ssize_t(int, void*, size_t)>("read");
    static auto* const closes = real<int(int)>("close");
    const int descriptor = opens(path, O_RDONLY | O_CLOEXEC);
    std::array<char, 4096> block{};
    for (ssize_t count = 0; (count = reads(descriptor, block.data(), block.size())) > 0;)
        hash = hashWith(hash, {block.data(), static_cast<std::size_t>(count)});
    closes(descriptor);
    return hash;
}

} // namespace

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

void noteRename(const char* from, const char* to) {
    if (mode.load() != Mode::recording || self.inside) return;
    const Inside inside;
    const std::lock_guard lock(noting);
    if (wholeCount < wholes.capacity) wholes[wholeCount++] = {hashOf(to), hashOfFile(from)};
}

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
    ++run;
    mode.store(everyStack ? Mode::armedByStack : Mode::armed, std::memory_order_release);
}

Fired disarm() {
    mode.store(Mode::off);
    return fired;
}

std::span<void* const> failedStack() { return std::span(failed.addresses).first(failed.count); }

std::vector<Whole> renamed() {
    std::vector<Whole> all;
    for (std::size_t i = 0; i < wholeCount; ++i) all.push_back(wholes[i]);
    return all;
}

std::uint64_t hashOf(std::string_view bytes) { return hashWith(hashOfNothing, bytes); }

} // namespace earshot::faults
