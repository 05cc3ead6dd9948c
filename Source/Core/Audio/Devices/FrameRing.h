// Carries frames of several channels from one thread to another. Frames that find it full become silence at
// their place, once there is room. push() neither locks nor allocates: it suits an audio thread.
#pragma once

#include "Core/Base/Realtime.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::audio {

class FrameRing {
  public:
    FrameRing(int channels, std::size_t frames)
        : channels_(static_cast<std::size_t>(channels))
        , frames_(frames)
        , samples_(channels_ * frames) {}

    // frame(i, channel) gives the samples of `count` frames.
    template <typename Frame>
    void push(std::size_t count, Frame frame) noexcept EARSHOT_REALTIME {
        const auto written = written_.load(std::memory_order_relaxed);
        std::size_t room =
            frames_ - static_cast<std::size_t>(written - read_.load(std::memory_order_acquire));
        std::uint64_t at = written;
        for (; owed_ > 0 && room > 0; --owed_, --room) put(at++, [](std::size_t) { return 0.0f; });
        // A frame after one that is owed waits for its turn: all of them are owed then.
        const std::size_t fits = owed_ > 0 ? 0 : std::min(count, room);
        for (std::size_t i = 0; i < fits; ++i)
            put(at++, [&](std::size_t channel) { return frame(i, channel); });
        owed_ += count - fits;
        lost_.fetch_add(static_cast<std::int64_t>(count - fits), std::memory_order_relaxed);
        written_.store(at, std::memory_order_release);
    }

    // Returns how many frames were read into (frames, channels).
    std::size_t pop(std::span<float> samples) noexcept {
        const auto read = read_.load(std::memory_order_relaxed);
        const auto there = static_cast<std::size_t>(written_.load(std::memory_order_acquire) - read);
        const std::size_t count = std::min(there, samples.size() / channels_);
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(frameAt(read + i), channels_, samples.data() + i * channels_);
        read_.store(read + count, std::memory_order_release);
        return count;
    }

    std::int64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  private:
    float* frameAt(std::uint64_t frame) noexcept {
        return samples_.data() + static_cast<std::size_t>(frame % frames_) * channels_;
    }
    template <typename Sample>
    void put(std::uint64_t frame, Sample sample) noexcept {
        float* const to = frameAt(frame);
        for (std::size_t channel = 0; channel < channels_; ++channel) to[channel] = sample(channel);
    }

    std::size_t channels_;
    std::size_t frames_; // that it holds
    std::vector<float> samples_;
    std::atomic<std::uint64_t> written_ = 0, read_ = 0; // frames
    std::atomic<std::int64_t> lost_ = 0;
    std::size_t owed_ = 0; // frames of silence that are not written yet; push()'s
};

} // namespace earshot::audio
