// A value that threads share, each for a moment: the one way to share state with work in the background.
// Whoever uses it holds its lock, and therefore touches no disk, waits for nothing and calls nobody else
// meanwhile. Any thread but the audio thread.
#pragma once

#include <mutex>
#include <utility>

namespace earshot {

template <typename T>
class Synchronized {
  public:
    Synchronized() = default;
    explicit Synchronized(T value)
        : value_(std::move(value)) {}

    T copy() const {
        const std::scoped_lock lock(mutex_);
        return value_;
    }
    // Calls use(value) with the lock held, and returns what it returns, which is no reference.
    template <typename Use>
    auto with(Use&& use) {
        const std::scoped_lock lock(mutex_);
        return std::forward<Use>(use)(value_);
    }
    template <typename Use>
    auto with(Use&& use) const {
        const std::scoped_lock lock(mutex_);
        return std::forward<Use>(use)(value_);
    }

  private:
    mutable std::mutex mutex_;
    T value_{};
};

} // namespace earshot
