// Keeps the audio thread away from data that another thread is about to change, without a lock. The audio
// thread skips its work while the barrier is closed. close() waits until the audio thread has left.
//   enter(), isOpen(), leave()   the audio thread (one at a time)
//   open(), close()    any other, one at a time
#pragma once

#include "Core/Base/Realtime.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace earshot {

class RealtimeBarrier {
  public:
    bool enter() noexcept EARSHOT_REALTIME {
        inside_.store(true);
        if (open_.load()) return true;
        inside_.store(false);
        return false;
    }
    // For a thread that is inside and whose work may take long.
    bool isOpen() const noexcept EARSHOT_REALTIME { return open_.load(); }
    void leave() noexcept EARSHOT_REALTIME { inside_.store(false); }

    void open() { open_.store(true); }
    void close() {
        open_.store(false);
        while (inside_.load()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

  private:
    // Sequentially consistent, so that at least one of the two sides sees the other.
    std::atomic<bool> open_ = false;
    std::atomic<bool> inside_ = false;
};

} // namespace earshot
