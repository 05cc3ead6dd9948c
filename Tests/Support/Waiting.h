// Waits for other threads. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace earshot::test {

// Returns false after three minutes, which is longer than anything that works takes on any machine. Batches
// and lessons take longer beside other tests, because they yield to these.
inline bool eventually(const std::function<bool()>& holds,
                       std::chrono::milliseconds longest = std::chrono::minutes(3)) {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (std::chrono::steady_clock::now() < end) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return holds();
}

} // namespace earshot::test
