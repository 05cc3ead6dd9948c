// Log-mel spectrogram as HTS-AT's reference computes it (torchlibrosa's Spectrogram and LogmelFilterBank):
// periodic Hann taper, centred frames with reflect padding at both ends of the clip, power spectrum,
// mel bank, 10 log10(max(x, 1e-10)) in dB. `floor(samples / hop) + 1` frames.
//
// A clip shorter than the padding is reflected as often as needed (…c b a b c b a b…); one sample is
// repeated. No samples give no frames. Samples may be any; the Framer says what it makes of huge ones and of
// those that are not finite. One thread at a time per object; streaming in any block sizes gives the same
// frames as one call, bit for bit, each frame computed once.
#pragma once

#include "Core/Frontend/Fft.h"
#include "Core/Frontend/Framer.h"
#include "Core/Frontend/LogMelSettings.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace earshot::frontend {

// Short-time power spectrum of a stream: |FFT|² of the frames, not scaled.
//
//     while (!(power = spectrogram.next(samples)).empty()) use(power);
//     spectrogram.finish(); then the same loop with no samples
class PowerSpectrogram {
  public:
    // Samples; fftSize is even, 1 <= hopSize <= fftSize.
    PowerSpectrogram(int fftSize, int hopSize);

    // Consumes as many of `samples` as it needs and returns the (fftSize / 2 + 1) powers of the next frame,
    // valid until the next call. Returns an empty span when the samples (after finish(): the clip) are used
    // up.
    std::span<const float> next(std::span<const float>& samples);
    void finish() { framer_.finish(); }
    void reset() { framer_.reset(); }

  private:
    Framer framer_;
    RealFft fft_;
    std::vector<float> taper_; // (fftSize)
    std::vector<float> power_; // (fftSize / 2 + 1)
};

class LogMel {
  public:
    // Throws earshot::Error if no spectrogram can be made with these settings.
    explicit LogMel(LogMelSettings settings);
    ~LogMel();
    LogMel(LogMel&&) noexcept;
    LogMel& operator=(LogMel&&) noexcept;

    const LogMelSettings& settings() const;

    // Appends each completed frame to `frames`: melBands values in dB.
    void push(std::span<const float> samples, std::vector<float>& frames);
    // Appends the last frames (with reflect padding at the end) and ends the clip. Call reset() before the
    // next push.
    void finish(std::vector<float>& frames);
    void reset();

    // The number of frames of a clip with this many samples.
    std::int64_t frameCount(std::int64_t samples) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// A whole clip at once: (frames, melBands) row-major.
std::vector<float> logMelSpectrogram(const LogMelSettings& settings, std::span<const float> samples);

} // namespace earshot::frontend
