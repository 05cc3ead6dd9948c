// Fourier transform of real samples, one size per object, single precision (FFTW).
//
// Different objects may be used by different threads at the same time, one thread at a time per object.
// The algorithm is chosen by FFTW's estimate, not by timing, so that a machine gives the same bits every run.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace earshot::frontend {

class RealFft {
  public:
    // size: samples of a transform, at least 1.
    explicit RealFft(int size);
    ~RealFft();
    RealFft(RealFft&&) noexcept;
    RealFft& operator=(RealFft&&) noexcept;

    // The (size) samples to transform. The caller writes them before each transform(). Aligned.
    std::span<float> input();
    // (size / 2 + 1, 2): real and imaginary part of each bin from 0 Hz up, not scaled. Valid until the next
    // call.
    std::span<const float> transform();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The library's name and version, as "FFTW 3.3.10".
std::string fftLibrary();

} // namespace earshot::frontend
