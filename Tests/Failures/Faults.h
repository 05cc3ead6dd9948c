// Makes one allocation or one file call of this program fail, at a place that a first run has noted.
//
// The program's own operator new and the C library's file functions (open, read, write, rename, ...) are
// stood in for, also for shared libraries that call them. While recording, every call is noted by its stack:
// the first call of each distinct stack is a Point. A Point is found again by its thread (in the order in
// which threads first call) and by the number of the call on that thread, which is quick; where a run turns
// out otherwise, faults::fired() says so, and the stack is looked for at every call instead.
//
// Calls that come from other people's code are left alone where the table in Faults.cpp names it and says
// why. Only Linux with glibc; one run at a time, on any threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace earshot::faults {

enum class Failure : std::uint8_t {
    memory,      // std::bad_alloc
    full,        // ENOSPC
    denied,      // EACCES
    broken,      // EIO
    tooMany,     // EMFILE
    interrupted, // EINTR
    half         // a transfer that ends early, without an error
};
const char* name(Failure failure);

struct Point {
    std::uint64_t stack = 0; // a hash of its return addresses
    std::uint32_t thread = 0;
    std::uint32_t call = 0; // on that thread, from 0
    const char* function = "";
    Failure failure = Failure::memory;

    bool isFileCall() const { return failure != Failure::memory; }
};

// Whether this build can do it: not with sanitizers, which stand in for the same functions.
bool available();

// Stacks of this thread end before the function whose frame this is.
void beginStackAt(const void* frame);
void record();
// What was recorded since, a Point for each stack and each way in which its call can fail.
std::vector<Point> recorded();

// From now on the point's call fails, once. everyStack: look at the stack of every call.
void arm(const Point& point, bool everyStack);
enum class Fired { no, yes, elsewhere };
// Nothing fails any more. elsewhere: the call had another stack than the point, and did not fail.
Fired disarm();
// The stack of the call that failed, outermost last.
std::span<void* const> failedStack();

// Objects of operator new that live now, whoever made them.
std::int64_t liveObjects();
// A clock that stands still but for a microsecond at each look, so that what a run writes about time repeats.
// False: the system's.
void setOwnClock(bool own);

// What rename() has put under a name since record(): the name's and the content's hash.
struct Whole {
    std::uint64_t name = 0;
    std::uint64_t content = 0;
};
std::vector<Whole> renamed();
std::uint64_t hashOf(std::string_view bytes);

// Calls that are left alone, and why.
struct Excluded {
    const char* object;   // its file's name begins so; empty: this program, with the headers of other people
    const char* function; // what its mangled name has in it; empty: any
    bool memoryOnly;
    const char* reason;
};
std::span<const Excluded> excludedCalls();
// Functions into which the compiler puts such code, so that nothing of it can be seen beforehand: where
// memory is short in them, the program may end.
std::span<const Excluded> fatalCalls();

// The mangled name of this program's function; empty for other code.
const char* functionAt(const void* address);

} // namespace earshot::faults
