// Cuts a stream of samples into centred, overlapping frames. Frame i is centred on sample i * hop, and the
// clip is continued at both ends by reflection. A clip has floor(samples / hop) + 1 frames, and none without
// samples.
//
//     while (framer.next(samples)) use(framer.frame()); // for every block
//     framer.finish();                                  // then once more with no samples
//
// The buffer is bounded and samples are copied into it once. What no frame can use is replaced then: what is
// not finite counts as silence, and samples beyond 1e12, far above full scale (1.0), are cut to it, so that
// the power of the longest FFT stays finite. One thread at a time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace earshot::frontend {

class Framer {
  public:
    // In samples. frameSize is even, and 1 <= hopSize <= frameSize.
    Framer(int frameSize, int hopSize);

    // Consumes as many of `samples` as it needs. Returns true if frame() is the next frame, and false when
    // all samples are used up (or, after finish(), the clip has no more frames).
    bool next(std::span<const float>& samples);
    // (frameSize) samples, valid until the next call of a non-const function.
    std::span<const float> frame() const { return {buffer_.data() + frameStart_, frameSize_}; }

    // Ends the clip. next() then gives the frames that reach beyond its end.
    void finish();
    void reset();

  private:
    bool frameReady() const;
    void append(std::span<const float>& samples);
    void makeRoom(std::size_t count);
    void padStart(std::int64_t clipSamples);

    std::size_t frameSize_;
    std::size_t hopSize_;
    std::size_t padding_; // samples before the first and after the last
    // The padded clip from the start of some frame on: [0, filled_). The next frame begins at nextStart_.
    std::vector<float> buffer_;
    std::size_t filled_ = 0;
    std::size_t nextStart_ = 0;
    std::size_t frameStart_ = 0; // of the last frame that next() gave
    std::int64_t samples_ = 0;   // so far
    std::int64_t frames_ = 0;    // given so far
    bool startPadded_ = false;
    bool finished_ = false;
};

// Reflect padding as an index map: which element stands at a position outside a sequence. Any thread.

// The element at position `index` (negative, inside or beyond) when `count` elements are mirrored at both
// ends as often as needed, without doubling the end elements: … c b a b c b a b …. A single element is
// repeated. count >= 1.
inline std::int64_t reflectedIndex(std::int64_t index, std::int64_t count) {
    assert(count >= 1);
    if (count == 1) return 0;
    const std::int64_t period = 2 * (count - 1);
    const std::int64_t phase = ((index % period) + period) % period;
    return phase < count ? phase : period - phase;
}

} // namespace earshot::frontend
