#include "Plugin/App/InputWatch.h"

#include <utility>

namespace earshot::plugin {

InputWatch::Change InputWatch::poll(bool open, double now) {
    const auto blocks = blocks_.load(std::memory_order_relaxed);
    if (std::exchange(seen_, blocks) != blocks) {
        lastBlock_ = now;
        if (open && std::exchange(goneSince_, std::nullopt)) return Change::back;
        if (open) return Change::none;
    }
    if (!lastBlock_) return Change::none;
    if (!goneSince_) {
        if (open && now - *lastBlock_ < silentFor) return Change::none;
        goneSince_ = lastBlock_;
        nextTry_ = now + retryEvery / 2.0;
        return Change::gone;
    }
    if (now < nextTry_) return Change::none;
    nextTry_ = now + retryEvery;
    return Change::open;
}

void InputWatch::forget() {
    seen_ = blocks_.load(std::memory_order_relaxed);
    lastBlock_.reset();
    goneSince_.reset();
}

} // namespace earshot::plugin
