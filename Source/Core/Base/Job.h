// A piece of work on a thread of its own: the one way to start a thread. It can be asked to stop at every
// step, and is left behind when it waits for a file system or a network that does not answer.
//
// The work must own all that it touches (shared state, no `this` of whoever started it), as it may outlive
// the job; work that cannot is resident. Before a thread is left behind the library that this code is linked
// into stays in memory for good, so that a host may unload the plugin. One thread at a time, but for stop(),
// running() and silentFor().
#pragma once

#include "Core/Base/Stop.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace earshot {

class Job {
  public:
    // How long a thread that was asked to stop may give no sign of life before it is left behind.
    static constexpr std::chrono::milliseconds patience{400};

    Job() = default; // no work
    // Begins at once. What `work` throws ends it, no more. Throws std::system_error when there is no thread.
    explicit Job(std::function<void(const StopToken&)> work);
    // Work that never waits for what may not answer: end() waits until it is over, however long.
    static Job resident(std::function<void()> work);
    Job(Job&& other) noexcept = default;
    Job& operator=(Job&& other) noexcept; // ends its own work first
    ~Job();                               // ends the work

    bool running() const;
    bool silentFor(std::chrono::steady_clock::duration duration) const;
    void stop() noexcept; // asks, and waits for nothing
    // Asks, waits, and leaves the thread behind once it has been silent for `patience`: false then.
    bool end() noexcept;

  private:
    struct Shared;

    void start(std::function<void(const StopToken&)> work);

    std::shared_ptr<Shared> shared_; // with the thread
    std::thread thread_;
};

// The library or program that this code is linked into is never unloaded from now on. Any thread.
void stayInMemory() noexcept;

} // namespace earshot
