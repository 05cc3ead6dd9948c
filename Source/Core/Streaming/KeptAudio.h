// The newest ten minutes of a stream's audio, for those who want to hear or to teach what they have seen:
// mono in 16 bit, at the rate at which the model hears. It takes 3.8 MB a minute at 32 kHz. Positions count
// samples from the beginning of the history, so that seconds are those of its columns.
//
// All that keep audio in a process share processBytes: each keeps at most an equal part of it, from the next
// samples on that it adds.
//
// One thread at a time; LiveHistory guards it. A Stretch shares the samples and is read without a guard, on
// any thread, while more audio is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::streaming {

class KeptAudio {
  public:
    static constexpr double maxSeconds = 600.0;
    static constexpr std::int64_t chunkSamples = 1 << 16; // 2 s at 32 kHz
    static constexpr std::int64_t processBytes = 256 << 20;

    // A part of what is kept. It stays as it is, whatever is forgotten meanwhile.
    class Stretch {
      public:
        bool empty() const { return first_ == end_; }
        std::int64_t first() const { return first_; } // position of its first sample
        std::int64_t size() const { return end_ - first_; }
        double start() const { return static_cast<double>(first_) / rate_; } // seconds
        int rate() const { return rate_; }                                   // Hz
        // Replaces `samples` by all of it.
        void copyTo(std::vector<float>& samples) const;
        // Fills `samples` from the sample at `offset` on. The stretch has them all.
        void copy(std::int64_t offset, std::span<float> samples) const;

      private:
        friend class KeptAudio;

        std::vector<std::shared_ptr<const std::vector<std::int16_t>>> chunks_;
        std::int64_t begin_ = 0; // position of the first chunk
        std::int64_t first_ = 0;
        std::int64_t end_ = 0;
        int rate_ = 1;
    };

    KeptAudio() = default;
    KeptAudio(const KeptAudio&) = delete;
    KeptAudio& operator=(const KeptAudio&) = delete;
    ~KeptAudio() { keep(false); }

    // Forgets everything and begins at position 0, with samples at `rate` Hz.
    void reset(int rate);
    // Counts positions from that one on, which is at most that of the first sample kept.
    void beginAt(std::int64_t position);
    // Whether samples are kept. If not, they only move the position on. Switching it off forgets everything.
    void keep(bool on);
    bool keeps() const { return keeps_; }
    // Adds samples and forgets those beyond the newest ten minutes, chunk by chunk.
    void add(std::span<const float> samples);
    // Forgets the oldest chunk. Returns false if only the chunk being written is left.
    bool forgetOldest();

    std::int64_t bytes() const;                         // memory of all chunks
    double since() const;                               // seconds, where it begins
    std::int64_t position() const { return position_; } // of the next sample
    int rate() const { return rate_; }                  // Hz
    // What is kept of the stretch between two times of the stream, in seconds.
    Stretch stretch(double from, double to) const;

  private:
    using Chunk = std::vector<std::int16_t>; // (chunkSamples); samples below the position never change again

    std::vector<std::shared_ptr<Chunk>> chunks_; // without the forgotten ones
    std::int64_t begin_ = 0;                     // position of the first chunk
    std::int64_t position_ = 0;                  // of the next sample
    int rate_ = 1;                               // Hz
    bool keeps_ = false;
};

} // namespace earshot::streaming
