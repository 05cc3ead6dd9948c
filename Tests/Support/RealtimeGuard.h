// Checks the promise of Core/Base/Realtime.h at run time: while a guard lives, it counts calls on this thread
// that allocate, lock, wait or do input and output.
//
//     std::vector<std::string> calls;
//     {
//         RealtimeGuard guard;
//         processor.processBlock(...);
//         calls = guard.violations();
//     }
//     REQUIRE(calls == std::vector<std::string>{});
//
// It replaces the C library's functions, on Linux with glibc and without sanitizers, which do the same.
// Elsewhere available() is false and nothing is counted.
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
    // Stops counting and returns the called functions in order, the first 64 at most.
    std::vector<std::string> violations();
};

} // namespace earshot::test
