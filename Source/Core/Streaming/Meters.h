// Measures a session: the delay of its columns and the load of its worker. The worker's thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace earshot::streaming {

// The delays of the newest columns, in seconds.
class DelayMeter {
  public:
    void add(double seconds);
    void reset() { count_ = 0; }
    // Returns the delay that a share (0 to 1) of the columns does not exceed; 0 before the first column.
    double quantile(double share) const;

  private:
    std::array<double, 64> delays_{}; // a ring buffer, 20 s of columns
    std::size_t count_ = 0;           // delays added since reset()
};

// The worker's share of the last three seconds of wall-clock time.
class LoadMeter {
  public:
    using Clock = std::chrono::steady_clock;

    void reset(Clock::time_point now);
    void busy(Clock::duration time) { slots_[slot_].busy += time; } // adds time spent working
    void tick(Clock::time_point now);                               // call it after each step
    double load() const;                                            // 0 to 1

  private:
    struct Slot {
        Clock::duration busy{};
        Clock::duration length{};
    };

    std::array<Slot, 12> slots_{};
    std::size_t slot_ = 0;
    Clock::time_point slotStart_{};
};

} // namespace earshot::streaming
