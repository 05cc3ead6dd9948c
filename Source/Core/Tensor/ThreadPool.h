// The one pool of threads. They stay alive between pieces of work, such as the phases of a training step, and
// run each piece together. One thread owns a team and takes part in its work. The destructor waits for the
// threads, which are idle by then.
#pragma once

#include "Core/Base/BackgroundThread.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace earshot::tensor {

class ThreadPool {
  public:
    // threads: with the owner's. oneDNN runs on one thread in each.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return static_cast<int>(members_.size()) + 1; }
    // Calls work(0) on this thread and work(1), ... on the others, and returns when all are done. Throws the
    // first exception of them.
    void run(const std::function<void(int)>& work);

  private:
    void close();
    void serve(int index);
    void perform(int index);

    std::mutex mutex_;
    std::condition_variable started_, finished_;
    std::uint64_t round_ = 0;
    int running_ = 0;
    bool closing_ = false;
    const std::function<void(int)>* work_ = nullptr;
    std::vector<std::exception_ptr> failures_;
    std::vector<BackgroundThread> members_;
};

} // namespace earshot::tensor
