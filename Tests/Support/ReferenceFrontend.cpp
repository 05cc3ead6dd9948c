#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace earshot::test {

std::vector<float> referencePadded(std::span<const float> clip, int padding) {
    if (clip.empty()) return {};
    const int count = static_cast<int>(clip.size());
    std::vector<float> before;
    std::vector<float> after;
    const auto walk = [&](std::vector<float>& out, int position, int step) {
        for (int i = 0; i < padding; ++i) {
            if (count > 1) {
                if (position + step < 0 || position + step >= count) step = -step;
                position += step;
            }
            out.push_back(clip[static_cast<std::size_t>(position)]);
        }
    };
    walk(before, 0, 1); // away from the clip's start its samples come in order
    walk(after, count - 1, -1);
    std::vector<float> padded(before.rbegin(), before.rend());
    padded.insert(padded.end(), clip.begin(), clip.end());
    padded.insert(padded.end(), after.begin(), after.end());
    return padded;
}

std::vector<double> referencePowerSpectrogram(std::span<const float> clip, int fftSize, int hopSize) {
    if (clip.empty()) return {};
    const auto padded = referencePadded(clip, fftSize / 2);
    const int frames = static_cast<int>(clip.size()) / hopSize + 1;
    std::vector<double> cosine(static_cast<std::size_t>(fftSize));
    std::vector<double> sine(static_cast<std::size_t>(fftSize));
    for (int n = 0; n < fftSize; ++n) {
        cosine[static_cast<std::size_t>(n)] = std::cos(2.0 * std::numbers::pi * n / fftSize);
        sine[static_cast<std::size_t>(n)] = std::sin(2.0 * std::numbers::pi * n / fftSize);
    }
    std::vector<double> powers;
    for (int frame = 0; frame < frames; ++frame)
        for (int bin = 0; bin <= fftSize / 2; ++bin) {
            double real = 0.0;
            double imaginary = 0.0;
            for (int n = 0; n < fftSize; ++n) {
                const auto angle = static_cast<std::size_t>(static_cast<std::int64_t>(bin) * n % fftSize);
                const double hann = 0.5 - 0.5 * cosine[static_cast<std::size_t>(n)];
                const double sample = hann * padded[static_cast<std::size_t>(frame * hopSize + n)];
                real += sample * cosine[angle];
                imaginary -= sample * sine[angle];
            }
            powers.push_back(real * real + imaginary * imaginary);
        }
    return powers;
}

std::vector<double> referenceMelFilters(const frontend::LogMelSettings& settings) {
    const bool htk = settings.scale == frontend::MelScale::htk;
    const auto toMel = [&](double f) {
        if (htk) return 2595.0 * std::log10(1.0 + f / 700.0);
        return f < 1000.0 ? 3.0 * f / 200.0 : 15.0 + 27.0 * std::log(f / 1000.0) / std::log(6.4);
    };
    // The inverse is found by bisection, so that it cannot repeat a mistake in the solved formula.
    const auto toHz = [&](double mel) {
        double low = 0.0;
        double high = settings.sampleRate;
        for (int i = 0; i < 100; ++i) (toMel(0.5 * (low + high)) < mel ? low : high) = 0.5 * (low + high);
        return low;
    };
    const int bands = settings.melBands;
    const int bins = settings.fftSize / 2 + 1;
    const double step = (toMel(settings.highHz) - toMel(settings.lowHz)) / (bands + 1);
    std::vector<double> matrix(static_cast<std::size_t>(bins * bands));
    for (int band = 0; band < bands; ++band) {
        const double left = toHz(toMel(settings.lowHz) + band * step);
        const double centre = toHz(toMel(settings.lowHz) + (band + 1) * step);
        const double right = toHz(toMel(settings.lowHz) + (band + 2) * step);
        for (int bin = 0; bin < bins; ++bin) {
            const double hz = static_cast<double>(bin) * settings.sampleRate / settings.fftSize;
            double height = 0.0;
            if (hz > left && hz <= centre) height = (hz - left) / (centre - left);
            if (hz > centre && hz < right) height = (right - hz) / (right - centre);
            matrix[static_cast<std::size_t>(bin * bands + band)] = height * 2.0 / (right - left);
        }
    }
    return matrix;
}

std::vector<double> referenceLogMel(std::span<const float> clip, const frontend::LogMelSettings& settings) {
    const auto powers = referencePowerSpectrogram(clip, settings.fftSize, settings.hopSize);
    const auto filters = referenceMelFilters(settings);
    const auto bins = static_cast<std::size_t>(settings.fftSize / 2 + 1);
    const auto bands = static_cast<std::size_t>(settings.melBands);
    std::vector<double> result;
    for (std::size_t frame = 0; frame < powers.size() / bins; ++frame)
        for (std::size_t band = 0; band < bands; ++band) {
            double energy = 0.0;
            for (std::size_t bin = 0; bin < bins; ++bin)
                energy += powers[frame * bins + bin] * filters[bin * bands + band];
            result.push_back(10.0 * std::log10(std::max(energy, 1e-10)));
        }
    return result;
}

std::vector<float> testSignal(std::size_t samples, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> signal(samples);
    for (std::size_t i = 0; i < samples; ++i) {
        const double noise = static_cast<double>(random()) / 2147483648.0 - 1.0;
        const double level = std::pow(10.0, -1.5 + 1.5 * std::sin(static_cast<double>(i) / 3000.0));
        signal[i] = static_cast<float>(noise * level);
    }
    return signal;
}

} // namespace earshot::test
