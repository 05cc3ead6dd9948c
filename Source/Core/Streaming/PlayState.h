// What a player's audio thread shares with its owner, and the fade of jumps. Nothing here allocates, locks or
// waits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace earshot::streaming {

// Holds in one word whether the player plays and its generation (the number of seeks). When the audio thread
// stops at the end, it can therefore not undo a play or seek that the owner has just requested.
class PlayControl {
  public:
    struct Value {
        std::uint32_t bits;

        bool playing() const { return (bits & 1u) != 0; }
        std::uint32_t generation() const { return bits >> 1; }
    };

    Value get() const { return {bits_.load(std::memory_order_acquire)}; }
    void play() { bits_.fetch_or(1u, std::memory_order_acq_rel); }
    void stop() { bits_.fetch_and(~1u, std::memory_order_acq_rel); }
    void advance() { bits_.fetch_add(2u, std::memory_order_acq_rel); }
    // Stops unless the value changed since `seen`.
    void stopIf(Value seen) {
        bits_.compare_exchange_strong(seen.bits, seen.bits & ~1u, std::memory_order_acq_rel);
    }

  private:
    std::atomic<std::uint32_t> bits_{0};
};

// The frame that the audio thread has reached and its generation, in one word.
class PlayPlace {
  public:
    void set(std::uint32_t generation, std::int64_t frame) {
        word_.store(static_cast<std::uint64_t>(generation) << frameBits | static_cast<std::uint64_t>(frame),
                    std::memory_order_release);
    }
    // Returns null if the audio thread has not read in that generation yet.
    std::optional<std::int64_t> frame(std::uint32_t generation) const {
        const std::uint64_t word = word_.load(std::memory_order_acquire);
        const auto wanted = static_cast<std::uint64_t>(generation) << frameBits;
        if (word >> frameBits != wanted >> frameBits) return std::nullopt;
        return static_cast<std::int64_t>(word & ((std::uint64_t{1} << frameBits) - 1));
    }

  private:
    static constexpr int frameBits = 44; // a year at any rate
    std::atomic<std::uint64_t> word_{std::numeric_limits<std::uint64_t>::max()};
};

// The gain of the output while jumps fade. Only the audio thread.
struct PlayFade {
    static constexpr std::size_t frames = 256; // from 0 to 1

    float gain = 0.0f;
    std::uint32_t generation = 0; // of the frames that it counts
    std::size_t heard = 0;        // frames of it

    // Moves the gain towards 1, or to 0, frame by frame. Returns how many frames there were before it was 0.
    std::size_t apply(std::span<float> left, std::span<float> right, bool in, std::size_t end) {
        constexpr float step = 1.0f / static_cast<float>(frames);
        for (std::size_t i = 0; i < left.size(); ++i) {
            const bool rises = in && heard < end;
            gain = std::clamp(gain + (rises ? step : -step), 0.0f, 1.0f);
            if (!rises && gain == 0.0f) return i;
            if (in) ++heard;
            left[i] *= gain;
            right[i] *= gain;
        }
        return left.size();
    }
};

} // namespace earshot::streaming
