// What a session tells of itself: how late its columns come, and how busy its worker is. The worker's thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace earshot::streaming {

// Over the newest columns.
class DelayMeter {
  public:
    void add(double seconds);
    void reset() { count_ = 0; }
    // The delay that a share (0 to 1) of the columns do not exceed; 0 before the first.
    double quantile(double share) const;

  private:
    std::array<double, 64> delays_{}; // a ring; 20 s of columns
    std::size_t count_ = 0;           // ever
};

// Over the last few seconds of wall-clock time.
class LoadMeter {
  public:
    using Clock = std::chrono::steady_clock;

    void reset(Clock::time_point now);
    void busy(Clock::duration time) { slots_[slot_].busy += time; }
    void tick(Clock::time_point now);
    double load() const; // 0 to 1

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
