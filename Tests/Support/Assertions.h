// Tells whether a failed assertion ends the program, as it must where assertions are on. Each library's tests
// ask this of code in that library, because a library may be compiled with other flags than its tests.
//
//     if (!test::assertionsAreOn) return test::skip("assertions are off in this build");
//     REQUIRE(test::endsProgram([] { neverCallThisWithZero(0); }));
#pragma once

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace earshot::test {

#ifdef NDEBUG
inline constexpr bool assertionsAreOn = false;
#else
inline constexpr bool assertionsAreOn = true;
#endif

// Runs `function` in a child process. Returns true if a signal ended it. The child's stderr is dropped.
template <typename Function>
bool endsProgram(const Function& function) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(STDERR_FILENO);
        std::signal(SIGABRT, SIG_DFL);
        function();
        ::_exit(0);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

} // namespace earshot::test
