// Makes one allocation or one file call of this program fail, at a place that an earlier run recorded.
//
// The program's own operator new and the C library's file functions (open, read, write, rename, ...) are
// replaced, also for shared libraries that call them. While recording, every call is recorded by its stack:
// the first call of each distinct stack is a Point. A Point is found again by its thread (in the order in
// which threads first call) and by the number of the call on that thread, which is quick. If a run takes
// another course, disarm() says so, and the stack of every call is compared instead.
//
// Calls from other people's code are left alone if the table in CallStack.cpp names them with a reason. Only
// Linux with glibc; one run at a time, on any threads.
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

// Whether this build can do it. Sanitizers replace the same functions, so with them it cannot.
bool available();

// Stacks of this thread end below the function whose frame this is.
void beginStackAt(const void* frame);
void record();
// The Points recorded since: one for each stack and each way in which its call can fail.
std::vector<Point> recorded();

// From now on the Point's call fails, once. everyStack: compare the stack of every call.
void arm(const Point& point, bool everyStack);
enum class Fired { no, yes, elsewhere };
// Nothing fails any more. elsewhere: the call had another stack than the Point, and did not fail.
Fired disarm();
// The stack of the failed call, outermost last.
std::span<void* const> failedStack();

// Live objects of operator new, from all callers.
std::int64_t liveObjects();
// A clock that advances by a microsecond at each look, so that written times repeat. False: the system's
// clock.
void setOwnClock(bool own);

// The names to which rename() has moved files since record(), with a hash of name and content.
struct Whole {
    std::uint64_t name = 0;
    std::uint64_t content = 0;
};
std::vector<Whole> renamed();
std::uint64_t hashOf(std::string_view bytes);

// Calls that are left alone, with the reason.
struct Excluded {
    const char* object;   // its file's name begins so; empty: this program, with other people's headers
    const char* function; // a part of its mangled name; empty: any
    bool memoryOnly;
    const char* reason;
};
std::span<const Excluded> excludedCalls();
// Functions into which the compiler inlines such code, so that nothing can be known beforehand. If memory is
// short in them, the program may end.
std::span<const Excluded> fatalCalls();

// The mangled name of this program's function; empty for other code.
const char* functionAt(const void* address);

} // namespace earshot::faults
