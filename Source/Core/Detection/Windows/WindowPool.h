// Runs several windows through the network at once, one per thread. It serves recordings, where only
// throughput matters. Results come in the order of the windows, and each is the same for any number of
// threads. A thread takes consecutive windows, because a network may reuse for one window what it cached for
// the previous one (TokenModel::expectHop()).
// One thread owns the pool and calls everything. While it waits it runs windows itself, so that a pool of N
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
    // The owner's thread runs `own`, which must outlive the pool. Each of `others`, at least one, gets its
    // own thread.
    WindowPool(TokenModel& own, std::vector<std::unique_ptr<TokenModel>> others);
    ~WindowPool(); // waits for the passes that run
    WindowPool(const WindowPool&) = delete;
    WindowPool& operator=(const WindowPool&) = delete;

    // image: (windowFrames, melBands), copied. hop: how many frames after the window added before it begins,
    // if the two share what they have in common; 0: they share nothing.
    void add(std::span<const float> image, int hop);
    // Returns how many windows were added and not yet taken.
    std::size_t pending() const;
    // Returns how many pending windows keep every thread busy with consecutive windows until the owner's next
    // call.
    std::size_t enough() const;
    // Whether take() would return at once.
    bool ready() const;
    // Waits for the oldest window and writes its (tokens, values). There must be one. Throws
    // what its model threw.
    void take(std::span<float> tokens);
    // Drops all windows.
    void clear();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
