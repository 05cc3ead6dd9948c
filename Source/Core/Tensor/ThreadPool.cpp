#include "Core/Tensor/ThreadPool.h"

#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>

namespace earshot::tensor {

ThreadPool::ThreadPool(int threads) {
    assert(threads >= 1);
    failures_.resize(static_cast<std::size_t>(threads));
    members_.reserve(static_cast<std::size_t>(threads - 1)); // a job that has no place would be waited for
    try {
        for (int i = 1; i < threads; ++i)
            members_.push_back(BackgroundThread::resident([this, i] { serve(i); }));
    } catch (...) { // the system gives no more threads
        close();
        throw;
    }
}

ThreadPool::~ThreadPool() { close(); }

void ThreadPool::close() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    started_.notify_all();
    members_.clear();
}

void ThreadPool::run(const std::function<void(int)>& work) {
    {
        const std::lock_guard lock(mutex_);
        work_ = &work;
        running_ = static_cast<int>(members_.size());
        ++round_;
    }
    started_.notify_all();
    const int usual = threadCount();
    setThreadCount(1);
    perform(0);
    setThreadCount(usual);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
    work_ = nullptr;
    const auto failed = std::find_if(failures_.begin(), failures_.end(), [](const auto& f) { return f; });
    if (failed == failures_.end()) return;
    const auto first = *failed;
    std::fill(failures_.begin(), failures_.end(), nullptr);
    std::rethrow_exception(first);
}

void ThreadPool::serve(int index) {
    setThreadCount(1);
    std::uint64_t done = 0;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            started_.wait(lock, [&] { return closing_ || round_ != done; });
            if (closing_) return;
            done = round_;
        }
        perform(index);
        {
            const std::lock_guard lock(mutex_);
            --running_;
        }
        finished_.notify_one();
    }
}

void ThreadPool::perform(int index) {
    try {
        (*work_)(index);
    } catch (...) {
        failures_[static_cast<std::size_t>(index)] = std::current_exception();
    }
}

} // namespace earshot::tensor
