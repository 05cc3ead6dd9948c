#include "Core/Frontend/PowerSpectrogram.h"

#include <cmath>
#include <numbers>

namespace earshot::frontend {

namespace {

// Periodic (not symmetric): one period of the raised cosine, as for overlapping analysis windows.
std::vector<float> hannWindow(int size) {
    std::vector<float> window(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < window.size(); ++i)
        window[i] =
            static_cast<float>(0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / size));
    return window;
}

} // namespace

PowerSpectrogram::PowerSpectrogram(int fftSize, int hopSize)
    : framer_(fftSize, hopSize)
    , fft_(fftSize)
    , window_(hannWindow(fftSize))
    , power_(static_cast<std::size_t>(fftSize / 2 + 1)) {}

std::span<const float> PowerSpectrogram::next(std::span<const float>& samples) {
    if (!framer_.next(samples)) return {};

    const auto frame = framer_.frame();
    const auto input = fft_.input();
    for (std::size_t i = 0; i < frame.size(); ++i) input[i] = frame[i] * window_[i];

    const auto spectrum = fft_.transform();
    for (std::size_t bin = 0; bin < power_.size(); ++bin) {
        const float real = spectrum[2 * bin];
        const float imaginary = spectrum[2 * bin + 1];
        power_[bin] = real * real + imaginary * imaginary;
    }
    return power_;
}

} // namespace earshot::frontend
