// Runs several windows through the network at once, one on each thread. It is for recordings, where only the
// throughput counts. Results come in the order of the windows, and do not depend on the number of threads. A
// thread takes consecutive windows, because a network may reuse results of the window before
// (TokenModel::expectHop()).
// One thread owns the pool and calls everything. While it waits it runs windows itself, so a pool of N
// networks uses N threads.
#pragma once

#include "Core/Detection/Windows/TokenModel.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace earshot::detection {

class WindowPool {
  public:
    // own: the model of the owner's thread, which outlives the pool. others: each gets a thread. There is at
    // least one model.
    WindowPool(TokenModel& own, std::vector<std::unique_ptr<TokenModel>> others);
    ~WindowPool(); // waits for running passes
    WindowPool(const WindowPool&) = delete;
    WindowPool& operator=(const WindowPool&) = delete;

    // image: (windowFrames, melBands), copied.
    void add(std::span<const float> image);
    // Windows that were given and not taken yet.
    std::size_t pending() const;
    // How many windows keep every thread busy, in consecutive runs, until the owner comes back.
    std::size_t enough() const;
    // Whether take() would return at once.
    bool ready() const;
    // Returns the oldest window's probabilities, (tokens, classes). There must be a window. Throws the
    // exception of its model.
    void take(std::span<float> probabilities);
    // Drops all windows.
    void clear();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
