// Threads that stay alive between the phases of a training step and run each phase together. One thread owns
// a team and takes part in its work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace earshot::training {

class Team {
  public:
    explicit Team(int threads); // counting the owner's; each runs oneDNN on itself alone
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int threads() const { return static_cast<int>(members_.size()) + 1; }
    // Calls work(0) here and work(1), ... on the other threads; returns when all are done. Throws what the
    // first of them threw.
    void run(const std::function<void(int)>& work);

  private:
    void serve(int index);
    void perform(int index);

    std::mutex mutex_;
    std::condition_variable started_, finished_;
    std::uint64_t round_ = 0;
    int running_ = 0;
    bool closing_ = false;
    const std::function<void(int)>* work_ = nullptr;
    std::vector<std::exception_ptr> failures_;
    std::vector<std::thread> members_;
};

// The part of `count` values that one of `parts` works on, in whole cache lines.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};
Range partOf(std::size_t count, int part, int parts);

} // namespace earshot::training
