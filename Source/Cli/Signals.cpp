#include "Cli/Signals.h"

#include <csignal>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace earshot::cli {

namespace {

volatile std::sig_atomic_t interruptFlag = 0;

extern "C" void onInterrupt(int) { interruptFlag = 1; }

} // namespace

void prepareSignals() {
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    // Without SA_RESTART, Ctrl-C ends a wait for standard input. With SA_RESETHAND, a second signal ends the
    // program.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return interruptFlag != 0; }

void reserveStandardStreams() {
    // open() takes the lowest free descriptor, which is that of the missing stream.
    const auto reserve = [](int descriptor, const char* file, int access) {
        if (::fcntl(descriptor, F_GETFD) < 0 && ::open(file, access) < 0) return;
    };
    reserve(STDIN_FILENO, "/dev/null", O_RDWR);
    reserve(STDOUT_FILENO, "/", O_RDONLY);
    reserve(STDERR_FILENO, "/dev/null", O_RDWR);
}

} // namespace earshot::cli
