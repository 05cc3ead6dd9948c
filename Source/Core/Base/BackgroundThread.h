// A piece of work on a thread of its own: the one way to start a thread. It can be asked to stop at every
// step. If it waits for a file system or a network that does not answer, it is left behind.
//
// The work must own everything it uses (shared state, not the starter's `this`), because it may outlive the
// job. Work that cannot do so is resident. Before a thread is left behind, the library that contains this
// code is locked in memory for good, so that a host may unload the plugin. One thread at a time, except
// stop(), running() and silentFor().
#pragma once

#include "Core/Base/Stop.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace earshot {

class BackgroundThread {
  public:
    // After a stop request, a thread without a sign of life for this long is left behind.
    static constexpr std::chrono::milliseconds patience{400};

    BackgroundThread() = default; // no work
    // Starts at once. An exception in `work` ends it, and is logged. Throws std::system_error when no thread
    // can be created.
    explicit BackgroundThread(std::function<void(const StopToken&)> work);
    // For work that never waits for anything that may not answer. end() waits for its end without a limit.
    static BackgroundThread resident(std::function<void()> work);
    BackgroundThread(BackgroundThread&& other) noexcept = default;
    BackgroundThread& operator=(BackgroundThread&& other) noexcept; // ends its own work first
    ~BackgroundThread();                                            // ends the work

    bool running() const;
    bool silentFor(std::chrono::steady_clock::duration duration) const;
    void stop() noexcept; // requests a stop and returns at once
    // Requests a stop and waits. Returns false if the work was silent for `patience` and is left behind.
    bool end() noexcept;

  private:
    struct Shared;

    void start(std::function<void(const StopToken&)> work);

    std::shared_ptr<Shared> shared_; // shared with the thread
    std::thread thread_;
};

} // namespace earshot
