// Holds the promise of Core/Base/Realtime.h at run time: while a guard lives, calls on this thread that
// allocate, lock, wait or do input and output are counted.
//
//     std::vector<std::string> calls;
//     {
//         RealtimeGuard guard;
//         processor.processBlock(...);
//         calls = guard.violations();
//     }
//     REQUIRE(calls == std::vector<std::string>{});
//
// Works by standing in for the C library's functions, on Linux with glibc and without sanitizers, which do
// the same; elsewhere available() is false and nothing is ever counted.
#pragma once

#include <string>
#include <vector>

namespace earshot::test {

class RealtimeGuard {
  public:
    RealtimeGuard();
    ~RealtimeGuard();
    RealtimeGuard(const RealtimeGuard&) = delete;
    RealtimeGuard& operator=(const RealtimeGuard&) = delete;

    static bool available();
    // Stops counting: the functions that were called, in order, at most the first 64 calls.
    std::vector<std::string> violations();
};

} // namespace earshot::test
