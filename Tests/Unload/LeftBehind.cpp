// A library that a test loads and unloads while a thread of it waits: what a host does to a plugin.
#include "Core/Base/BackgroundThread.h"

#include <atomic>
#include <memory>
#include <thread>

// Begins work that hears of nothing until `*answers`, and says in `*done` that it went on; then gives it up.
extern "C" [[gnu::visibility("default")]] void leaveBehind(std::atomic<bool>* answers,
                                                           std::atomic<bool>* done) {
    const earshot::BackgroundThread job([answers, done](const earshot::StopToken&) {
        while (!*answers) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        *done = true;
    });
}
