#include "Core/Training/Data/NearCopies.h"

#include "Core/Base/Unicode.h"
#include "Core/Frontend/Fft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <utility>

namespace earshot::training {

namespace {

constexpr double comparedSeconds = 4.0;             // of each clip, from its first sound on
constexpr double silenceShare = 0.01;               // of the largest sample: before it there is no sound
constexpr double minCorrelation = 0.8;              // MP3 of 64 kbit/s and more, and resampling, lie above it
constexpr double minEnvelope = 0.9;                 // correlation of envelopes
constexpr float maxSpectrumDistance = 4.0f;         // dB, mean of the loud bands
constexpr std::size_t maxCandidates = 12;           // of one clip, the likest
constexpr std::size_t maxCorrelations = 3000;       // in all
constexpr std::size_t bands = 12;                   // a third of an octave or more, below 4 kHz
constexpr double minBand = 150.0, maxBand = 3800.0; // Hz: a copy at 8 kHz has them too
constexpr int envelopeRate = 100;                   // Hz
constexpr int spectrumSize = 2048;

struct Sketch {
    std::array<float, bands> spectrum{}; // dB, without its mean
    std::vector<float> envelope;         // dB
};

std::span<const std::int16_t> comparedPart(const StoredClip& clip, int sampleRate) {
    const std::span<const std::int16_t> all = clip.samples;
    const auto largest = std::ranges::max(all, {}, [](std::int16_t x) { return std::abs(int{x}); });
    const double quiet = silenceShare * std::abs(int{largest});
    const auto first = std::ranges::find_if(all, [&](std::int16_t x) { return std::abs(int{x}) > quiet; });
    const auto from = static_cast<std::size_t>(first - all.begin());
    return all.subspan(from,
                       std::min(all.size() - from, static_cast<std::size_t>(comparedSeconds * sampleRate)));
}

float decibels(double power) { return static_cast<float>(10.0 * std::log10(power + 1e-9)); }

std::array<float, bands> spectrumOf(std::span<const std::int16_t> samples, int sampleRate,
                                    frontend::RealFft& fft) {
    std::array<double, bands> power{};
    const double step = std::log(maxBand / minBand) / bands;
    // The last one is filled up with zeros.
    for (std::size_t at = 0; at < samples.size(); at += spectrumSize) {
        std::ranges::fill(fft.input(), 0.0f);
        std::ranges::copy(samples.subspan(at, std::min<std::size_t>(spectrumSize, samples.size() - at)),
                          fft.input().begin());
        const auto bins = fft.transform();
        for (std::size_t bin = 1; bin < spectrumSize / 2; ++bin) {
            const double hertz = static_cast<double>(bin) * sampleRate / spectrumSize;
            const double band = std::log(hertz / minBand) / step;
            if (band < 0.0 || band >= bands) continue;
            const double real = bins[2 * bin], imaginary = bins[2 * bin + 1];
            power[static_cast<std::size_t>(band)] += real * real + imaginary * imaginary;
        }
    }
    const double most = std::ranges::max(power);
    std::array<float, bands> result{};
    // What is far below the loudest band is noise, which MP3 changes.
    for (std::size_t i = 0; i < bands; ++i) result[i] = std::max(-30.0f, decibels(power[i] / (most + 1e-9)));
    return result;
}

std::vector<float> envelopeOf(std::span<const std::int16_t> samples, int sampleRate) {
    const auto length = static_cast<std::size_t>(sampleRate / envelopeRate);
    std::vector<float> envelope;
    for (std::size_t at = 0; at + length <= samples.size(); at += length) {
        double sum = 0.0;
        for (const std::int16_t x : samples.subspan(at, length)) sum += static_cast<double>(x) * x;
        envelope.push_back(std::max(0.0f, decibels(sum / static_cast<double>(length))));
    }
    return envelope;
}

float distance(const Sketch& a, const Sketch& b) {
    float sum = 0.0f;
    for (std::size_t i = 0; i < bands; ++i) sum += std::abs(a.spectrum[i] - b.spectrum[i]);
    return sum / static_cast<float>(bands);
}

// Pearson's correlation of the overlap; b begins `shift` later.
double correlationAt(std::span<const float> a, std::span<const float> b, std::ptrdiff_t shift) {
    if (shift < 0) return correlationAt(b, a, -shift);
    const auto skip = std::min(a.size(), static_cast<std::size_t>(shift));
    const auto count = std::min(a.size() - skip, b.size());
    if (count < 5 || 2 * count < std::min(a.size(), b.size())) return 0.0;
    double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = a[skip + i], y = b[i];
        sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y;
    }
    const auto n = static_cast<double>(count);
    const double va = saa - sa * sa / n, vb = sbb - sb * sb / n;
    // Steady sounds have no envelope to compare.
    if (va < n && vb < n) return 1.0;
    return va * vb > 0.0 ? (sab - sa * sb / n) / std::sqrt(va * vb) : 0.0;
}

bool haveLikeEnvelopes(const Sketch& a, const Sketch& b) {
    constexpr std::ptrdiff_t most = 100; // of 10 ms: a cut at the beginning
    for (std::ptrdiff_t shift = -most; shift <= most; ++shift)
        if (correlationAt(a.envelope, b.envelope, shift) >= minEnvelope) return true;
    return false;
}

// Correlates two parts of up to comparedSeconds at all shifts, by their spectra.
class Correlator {
  public:
    explicit Correlator(int sampleRate)
        : size_(std::bit_ceil(static_cast<std::size_t>(2.0 * comparedSeconds * sampleRate) + 1))
        , fft_(static_cast<int>(size_)) {}

    double largest(std::span<const std::int16_t> a, std::span<const std::int16_t> b) {
        const auto first = spectrum(a);
        const auto second = spectrum(b);
        // By the discrete Hartley transform, which a forward transform computes and which is its own inverse.
        const auto correlation = inverse(first, second, {1.0f, 0.0f});
        const auto quadrature = inverse(first, second, {0.0f, -1.0f}); // its Hilbert transform
        float most = 0.0f;
        for (std::size_t i = 0; i < size_; ++i)
            most = std::max(most, std::hypot(correlation[i], quadrature[i]));
        return static_cast<double>(most) / (std::sqrt(energy(a) * energy(b)) + 1e-9);
    }

  private:
    using Spectrum = std::vector<std::complex<float>>;

    static double energy(std::span<const std::int16_t> samples) {
        double sum = 0.0;
        for (const std::int16_t x : samples) sum += static_cast<double>(x) * x;
        return sum;
    }

    Spectrum spectrum(std::span<const std::int16_t> samples) {
        std::ranges::fill(fft_.input(), 0.0f);
        std::ranges::copy(samples, fft_.input().begin());
        const auto bins = fft_.transform();
        Spectrum result(size_ / 2 + 1);
        for (std::size_t k = 0; k < result.size(); ++k) result[k] = {bins[2 * k], bins[2 * k + 1]};
        return result;
    }

    std::vector<float> inverse(const Spectrum& a, const Spectrum& b, std::complex<float> turn) {
        const auto input = fft_.input();
        const auto hartley = [](std::complex<float> z) { return z.real() - z.imag(); };
        for (std::size_t k = 0; k <= size_ / 2; ++k) {
            const auto z = std::conj(a[k]) * b[k] * turn;
            input[k] = hartley(z);
            if (k > 0 && k < size_ / 2) input[size_ - k] = hartley(std::conj(z));
        }
        const auto bins = fft_.transform();
        std::vector<float> result(size_);
        for (std::size_t n = 0; n < size_; ++n) {
            const std::size_t k = std::min(n, size_ - n);
            const float imaginary = n == k ? bins[2 * k + 1] : -bins[2 * k + 1];
            result[n] = (bins[2 * k] - imaginary) / static_cast<float>(size_);
        }
        return result;
    }

    std::size_t size_;
    frontend::RealFft fft_;
};

} // namespace

std::vector<NearCopy> findNearCopies(std::span<const StoredClip* const> clips, int sampleRate,
                                     const std::function<bool(std::size_t, std::size_t)>& mayBe,
                                     const std::function<bool()>& proceed) {
    frontend::RealFft fft(spectrumSize);
    std::vector<Sketch> sketches;
    for (const StoredClip* clip : clips) {
        if (!proceed()) return {};
        const auto part = comparedPart(*clip, sampleRate);
        sketches.push_back({spectrumOf(part, sampleRate, fft), envelopeOf(part, sampleRate)});
    }
    Correlator correlator(sampleRate);
    std::vector<NearCopy> found;
    std::vector<bool> isCopy(clips.size());
    std::size_t correlations = 0;
    for (std::size_t i = 1; i < clips.size() && proceed(); ++i) {
        std::vector<std::pair<float, std::size_t>> like;
        for (std::size_t j = 0; j < i; ++j) // what is a copy already was compared with its original
            if (const float far = distance(sketches[i], sketches[j]);
                far < maxSpectrumDistance && !isCopy[j] && mayBe(i, j))
                like.emplace_back(far, j);
        std::ranges::sort(like);
        if (like.size() > maxCandidates) like.resize(maxCandidates);
        for (const auto& [far, j] : like) {
            if (!haveLikeEnvelopes(sketches[i], sketches[j])) continue;
            if (++correlations > maxCorrelations) return found;
            if (correlator.largest(comparedPart(*clips[i], sampleRate), comparedPart(*clips[j], sampleRate)) <
                minCorrelation)
                continue;
            found.push_back({i, j});
            isCopy[i] = true;
            break;
        }
    }
    return found;
}

void joinNearCopies(DataSet& data, std::span<const StoredClip* const> examples, int sampleRate,
                    const std::function<bool()>& proceed) {
    const auto clipOf = [&](std::size_t i) -> Clip& {
        return data.clips[static_cast<std::size_t>(examples[i]->clip - data.clips.data())];
    };
    const auto mayBe = [&](std::size_t a, std::size_t b) {
        return clipOf(a).group != clipOf(b).group && clipOf(a).labels == clipOf(b).labels;
    };
    for (const auto& [copy, original] : findNearCopies(examples, sampleRate, mayBe, proceed)) {
        data.problems.push_back({displayName(clipOf(copy).file),
                                 fmt::format("is nearly the same recording as {}; both count as one source",
                                             displayName(clipOf(original).file)),
                                 false});
        const auto group = clipOf(copy).group;
        for (std::size_t i = 0; i < examples.size(); ++i)
            if (clipOf(i).group == group) clipOf(i).group = clipOf(original).group;
    }
}

} // namespace earshot::training
