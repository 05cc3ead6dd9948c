// Notices that the desktop app's audio device gives no blocks any more, because its server has ended or it
// was unplugged, and says when to open it again. Knows no device, only what is polled. Message thread, except
// blockCame().
#pragma once

#include "Core/Base/Realtime.h"

#include <atomic>
#include <cstdint>
#include <optional>

namespace earshot::plugin {

class InputWatch {
  public:
    static constexpr double silentFor = 2.0;  // seconds without a block after which the device is gone
    static constexpr double retryEvery = 2.0; // seconds between two attempts to open it

    enum class Change {
        none,
        gone, // close the device: it gives nothing
        open, // try to open it
        back, // it gives blocks again
    };

    // The audio thread calls it for every block.
    void blockCame() noexcept EARSHOT_REALTIME { blocks_.fetch_add(1, std::memory_order_relaxed); }

    // A few times a second. open: whether a device is open; now: seconds on any steady clock. A device that
    // never gave a block is not watched.
    Change poll(bool open, double now);
    // The device was changed or left out on purpose: it is watched from its next block on.
    void forget();

    bool isGone() const { return goneSince_.has_value(); }
    std::optional<double> goneSince() const { return goneSince_; } // when the last block came

  private:
    std::atomic<std::uint64_t> blocks_ = 0;
    std::uint64_t seen_ = 0;
    std::optional<double> lastBlock_; // null: not watched
    std::optional<double> goneSince_;
    double nextTry_ = 0.0;
};

} // namespace earshot::plugin
