// Streaming sample-rate conversion (libsoxr, HQ). Equal rates pass through unchanged, bit for bit.
// The stream's output depends on its samples alone, not on how they are cut into blocks; the whole
// output has round(input * outputRate / inputRate) samples, aligned with the input (no delay).
// One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::audio {

class Resampler {
  public:
    Resampler(double inputRate, double outputRate); // Hz
    ~Resampler();
    Resampler(Resampler&&) noexcept;
    Resampler& operator=(Resampler&&) noexcept;

    // Appends the output that the new samples complete.
    void push(std::span<const float> input, std::vector<float>& output);
    // Appends the rest and ends the stream. Call reset() before the next push.
    void finish(std::vector<float>& output);
    void reset();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The library's name and version, as "libsoxr 0.1.3".
std::string resamplerLibrary();

} // namespace earshot::audio
