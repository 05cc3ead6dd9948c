#include "Cli/Output/LibraryNotes.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__)
#include <signal.h>
#include <unistd.h>
#endif

namespace earshot::cli {

#if defined(__GLIBC__)

namespace {

// The last bytes that libraries wrote. The stream's lock guards writing; the program reads them only when it
// ends.
constexpr std::size_t most = 4096; // bytes
std::array<char, most> kept;
volatile std::size_t said = 0; // number of bytes written in all; an index into `kept` modulo its size
volatile bool running = false;

// A signal handler may call this: it makes only async-signal-safe calls.
void showKept() {
    if (!running) return;
    running = false;
    const std::size_t first = said % most;
    const auto show = [](const char* text, std::size_t bytes) {
        if (bytes > 0 && ::write(STDERR_FILENO, text, bytes) < 0) return;
    };
    if (said >= most) show(kept.data() + first, most - first);
    show(kept.data(), first);
}

extern "C" void onAbort(int) { showKept(); }

ssize_t keep(void*, const char* text, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        kept[said % most] = text[i];
        said = said + 1;
    }
    return static_cast<ssize_t>(bytes);
}

std::FILE* keepingStream() {
    std::FILE* stream =
        ::fopencookie(nullptr, "w", {.read = nullptr, .write = keep, .seek = nullptr, .close = nullptr});
    if (stream != nullptr) std::setvbuf(stream, nullptr, _IONBF, 0);
    return stream;
}

} // namespace

LibraryNotes::LibraryNotes()
    : original_(stderr) {
    std::FILE* stream = keepingStream();
    if (stream == nullptr) return; // without the stream, the lines are shown
    static const bool registered = std::atexit(showKept) == 0;
    struct sigaction action {};
    action.sa_handler = onAbort;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, nullptr);
    running = registered;
    stderr = stream;
}

// The stream stays open, because a thread that still runs may use it.
LibraryNotes::~LibraryNotes() {
    stderr = original_;
    running = false;
}

#else

// Only glibc has streams that call a function. Elsewhere the lines are shown.
LibraryNotes::LibraryNotes()
    : original_(stderr) {}

LibraryNotes::~LibraryNotes() = default;

#endif

} // namespace earshot::cli
