// Carries audio from the audio thread to the worker: a ring buffer of samples and a queue of marks. A mark
// stands where samples were dropped, the host's transport jumped, or another play rate has led it 0.05 s away
// from where the last mark would have it. Positions count samples since the stream began, dropped ones
// included.
//   push(), tryPush()       the audio thread; wait-free, no allocation
//   pop()                   the worker
//   position(), dropped()   any thread
#pragma once

#include "Core/Base/Realtime.h"
#include "Core/Streaming/TimeMap.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <boost/lockfree/spsc_queue.hpp>

namespace earshot::streaming {

class AudioRing {
  public:
    static constexpr std::size_t chunkSamples = 1024; // a chunk is kept or dropped whole

    // The next part of the stream: `gap` dropped samples, then `samples` without a break. `samples` is valid
    // until the next pop(). Non-finite samples become silence, because a resampler would spread them.
    struct Part {
        std::int64_t gap = 0;
        std::span<const float> samples;
        std::optional<HostTime> host; // at the first of `samples`; null: it follows from the parts before
    };

    AudioRing(double sampleRate, double seconds);

    // Splits `mono` into chunks and writes each one. A chunk without room is dropped and counted.
    void push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME;
    // Writes at most chunkSamples samples. Returns false and changes nothing if there is no room.
    bool tryPush(std::span<const float> chunk, const HostTime& host) noexcept EARSHOT_REALTIME;

    std::optional<Part> pop(); // null: nothing is waiting

    double sampleRate() const { return sampleRate_; }
    std::int64_t position() const { return position_.load(std::memory_order_acquire); }
    std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); } // chunks

  private:
    struct Mark {
        std::int64_t written = 0;  // samples written to the ring before the mark
        std::int64_t position = 0; // position of the first sample after the mark
        HostTime host = {};
    };

    static constexpr auto never =
        std::numeric_limits<std::int64_t>::max(); // `written` where there is no mark

    HostTime expectedAt(std::int64_t position) const;
    std::optional<HostTime> newsOf(const HostTime& host, std::int64_t position) const;
    double seconds(std::int64_t samples) const { return static_cast<double>(samples) / sampleRate_; }

    static constexpr std::size_t maxMarks = 1024;
    double sampleRate_;
    boost::lockfree::spsc_queue<float> samples_;
    boost::lockfree::spsc_queue<Mark, boost::lockfree::capacity<maxMarks>> marks_;
    std::atomic<std::int64_t> position_ = 0; // written by the audio thread
    std::atomic<std::int64_t> dropped_ = 0;
    // Only the audio thread uses these:
    std::int64_t written_ = 0; // samples
    std::int64_t gaps_ = 0;    // samples dropped before the last one written
    Mark anchor_;              // the last mark pushed
    Mark last_;                // the position and the transport where the host told it last
    // Only the worker uses these:
    std::int64_t read_ = 0;       // samples
    std::int64_t skipped_ = 0;    // samples of all gaps returned so far
    Mark mark_{.written = never}; // the next mark, not reached yet
    std::vector<float> part_;
};

} // namespace earshot::streaming
