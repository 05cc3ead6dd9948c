// Short-time power spectrum of a stream: centred frames with reflect padding (Framer.h), periodic Hann
// window, |FFT|², not scaled; torchlibrosa's Spectrogram with power 2.
//
//     while (!(power = spectrogram.next(samples)).empty()) use(power);
//     spectrogram.finish(); then the same loop with no samples
//
// One thread at a time.
#pragma once

#include "Core/Frontend/Fft.h"
#include "Core/Frontend/Framer.h"

#include <span>
#include <vector>

namespace earshot::frontend {

class PowerSpectrogram {
  public:
    // Samples; fftSize is even, 1 <= hopSize <= fftSize.
    PowerSpectrogram(int fftSize, int hopSize);

    // Takes what it needs from the front of `samples` and returns the next frame's (fftSize / 2 + 1) powers,
    // valid until the next call; empty when `samples` (after finish(): the clip) is used up.
    std::span<const float> next(std::span<const float>& samples);
    void finish() { framer_.finish(); }
    void reset() { framer_.reset(); }

  private:
    Framer framer_;
    RealFft fft_;
    std::vector<float> window_; // (fftSize)
    std::vector<float> power_;  // (fftSize / 2 + 1)
};

} // namespace earshot::frontend
