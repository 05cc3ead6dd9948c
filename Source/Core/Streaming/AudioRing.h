// Audio on its way from the audio thread to the worker: a ring buffer of samples, and beside it the few marks
// where stream time or the host's transport does not simply go on. Positions are samples since the stream
// began, dropped ones included.
//   push(), tryPush()       the audio thread; wait-free, no allocation
//   pop()                   the worker
//   position(), dropped()   any thread
#pragma once

#include "Core/Base/Realtime.h"
#include "Core/Streaming/TimeMap.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/lockfree/spsc_queue.hpp>

namespace earshot::streaming {

class AudioRing {
  public:
    static constexpr std::size_t chunkSamples = 1024; // the most that is kept or dropped as one

    // What comes next: `gap` dropped samples, then `samples` (valid until the next pop), without a break.
    // Samples that are not finite have become silence: a resampler would spread them.
    struct Part {
        std::int64_t gap = 0;
        std::span<const float> samples;
        std::optional<HostTime> host; // at the first of `samples`, where it does not follow from before
    };

    AudioRing(double sampleRate, double seconds);

    // In chunks, each kept or, without room, dropped and counted.
    void push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME;
    // At most chunkSamples. False: there is no room, and nothing has happened.
    bool tryPush(std::span<const float> chunk, const HostTime& host) noexcept EARSHOT_REALTIME;

    std::optional<Part> pop();

    double sampleRate() const { return sampleRate_; }
    std::int64_t position() const { return position_.load(std::memory_order_acquire); }
    std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); } // chunks

  private:
    struct Mark {
        std::int64_t written = 0;  // samples in the ring before it, ever
        std::int64_t position = 0; // of the next one
        HostTime host;
    };

    bool jumps(const HostTime& host, std::int64_t position) const;

    static constexpr std::size_t mostMarks = 1024;
    double sampleRate_;
    boost::lockfree::spsc_queue<float> samples_;
    boost::lockfree::spsc_queue<Mark, boost::lockfree::capacity<mostMarks>> marks_;
    std::atomic<std::int64_t> position_ = 0; // written by the audio thread
    std::atomic<std::int64_t> dropped_ = 0;
    // The audio thread's:
    std::int64_t written_ = 0; // samples
    std::int64_t gaps_ = 0;    // samples dropped before the last one written
    Mark anchor_;              // the transport as the last mark told it
    // The worker's:
    std::int64_t read_ = 0;    // samples
    std::int64_t skipped_ = 0; // samples of gaps given so far
    std::optional<Mark> mark_; // not reached yet
    std::vector<float> part_;
};

} // namespace earshot::streaming
