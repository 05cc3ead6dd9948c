// Several windows through the network at once, one a thread: for recordings, where all that counts is how
// many there are in a second. Results come in the order in which the windows were given, and each is what one
// thread makes of its window, whatever the number of threads. A thread takes windows that follow one another,
// as what a network found for one may serve it for the next (TokenModel::expectHop()).
// One thread owns the pool and calls everything; while it waits it runs windows itself, so that a pool of N
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
    // own: the owner's thread runs this one; outlives the pool. others: each gets a thread. At least one.
    WindowPool(TokenModel& own, std::vector<std::unique_ptr<TokenModel>> others);
    ~WindowPool(); // waits for the passes that run
    WindowPool(const WindowPool&) = delete;
    WindowPool& operator=(const WindowPool&) = delete;

    // image: (windowFrames, melBands), copied.
    void add(std::span<const float> image);
    // Windows given and not taken.
    std::size_t pending() const;
    // As many as keep every thread busy, with windows in a row, until the owner comes back.
    std::size_t enough() const;
    // Whether take() would return at once.
    bool ready() const;
    // The oldest window's probabilities, (tokens, classes); there must be one. Throws what its model threw.
    void take(std::span<float> probabilities);
    // Forgets all of them.
    void clear();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
