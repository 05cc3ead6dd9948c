#include "Core/Training/Data/Augment.h"

#include "Core/Frontend/LogMelSettings.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

namespace earshot::training {

namespace {

constexpr float toFloat = 1.0f / 32768.0f;
// Keeps the filters' state out of denormal numbers, which are slow. It is far below hearing.
constexpr float antiDenormal = 1e-18f;

// Catmull-Rom through y1 and y2 at 0 <= x < 1.
float cubic(float y0, float y1, float y2, float y3, float x) {
    const float c1 = 0.5f * (y2 - y0);
    const float c2 = y0 - 2.5f * y1 + 2.0f * y2 - 0.5f * y3;
    const float c3 = 0.5f * (y3 - y0) + 1.5f * (y1 - y2);
    return ((c3 * x + c2) * x + c1) * x + y1;
}

float fadeGain(std::size_t i, std::size_t length) {
    const float x = (static_cast<float>(i) + 0.5f) / static_cast<float>(length);
    return 0.5f - 0.5f * std::cos(std::numbers::pi_v<float> * x);
}

struct Biquad {
    float b0 = 1.0f, b1 = 0.0f, b2 = 0.0f, a1 = 0.0f, a2 = 0.0f;
};

Biquad lowPassSection(double cutHz, double quality, double sampleRate) {
    // Bilinear transform (R. Bristow-Johnson's cookbook).
    const double angle = 2.0 * std::numbers::pi * std::min(cutHz, 0.49 * sampleRate) / sampleRate;
    const double alpha = std::sin(angle) / (2.0 * quality), cosine = std::cos(angle);
    const double scale = 1.0 / (1.0 + alpha);
    const auto value = [scale](double v) { return static_cast<float>(v * scale); };
    return {.b0 = value(0.5 * (1.0 - cosine)),
            .b1 = value(1.0 - cosine),
            .b2 = value(0.5 * (1.0 - cosine)),
            .a1 = value(-2.0 * cosine),
            .a2 = value(1.0 - alpha)};
}

// All sections run sample by sample, so that the processor overlaps them.
template <std::size_t count>
void filterInPlace(const std::array<Biquad, count>& sections, std::span<float> samples) {
    std::array<float, count> s1{}, s2{};
    for (float& sample : samples) {
        float x = sample + antiDenormal;
        for (std::size_t k = 0; k < count; ++k) {
            const Biquad& f = sections[k];
            const float y = f.b0 * x + s1[k];
            s1[k] = f.b1 * x - f.a1 * y + s2[k];
            s2[k] = f.b2 * x - f.a2 * y;
            x = y;
        }
        sample = x;
    }
}

template <std::size_t count>
void butterworth(std::span<float> samples, double cutHz, double sampleRate) {
    std::array<Biquad, count> sections{};
    for (std::size_t k = 0; k < count; ++k) {
        const double angle = std::numbers::pi * (2.0 * static_cast<double>(k) + 1.0) / (4.0 * count);
        sections[k] = lowPassSection(cutHz, 0.5 / std::cos(angle), sampleRate);
    }
    filterInPlace(sections, samples);
}

// Sums and maxima in parts, so that the compiler can vectorise them.
constexpr std::size_t lanes = 16;

constexpr double fixedPoint = 0x1p32; // of positions between samples

constexpr int minBends = 3; // of the gain curve over the bands
constexpr int maxBends = 6;

// dB per mel band: straight lines between bends at random bands.
std::vector<float> drawGains(Dice& dice, float range, int bands) {
    std::vector<int> bends = {0, bands - 1};
    for (int i = dice.from(minBends, maxBends) - 2; i > 0; --i) bends.push_back(dice.from(0, bands - 1));
    std::ranges::sort(bends);
    std::vector<float> gains(static_cast<std::size_t>(bands));
    float left = dice.between(-range, range);
    gains.front() = left;
    for (std::size_t i = 1; i < bends.size(); ++i) {
        const float right = dice.between(-range, range);
        const int first = bends[i - 1], last = bends[i];
        for (int band = first + 1; band <= last; ++band)
            gains[static_cast<std::size_t>(band)] =
                left + (right - left) * static_cast<float>(band - first) / static_cast<float>(last - first);
        left = right;
    }
    return gains;
}

double uniform(std::mt19937_64& generator) { // above 0, below 1
    return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53;
}

// Johnk's method; the standard library has no Beta distribution.
double beta(double alpha, std::mt19937_64& generator) {
    while (true) {
        const double x = std::pow(uniform(generator), 1.0 / alpha);
        const double y = std::pow(uniform(generator), 1.0 / alpha);
        if (x + y > 0.0 && x + y <= 1.0) return x / (x + y);
    }
}

} // namespace

void appendAtSpeed(std::span<const std::int16_t> input, std::int64_t first, std::int64_t last, double speed,
                   std::vector<float>& output) {
    if (speed == 1.0) {
        const std::size_t begin = output.size();
        output.resize(begin + static_cast<std::size_t>(last - first));
        std::transform(input.begin() + first, input.begin() + last,
                       output.begin() + static_cast<std::ptrdiff_t>(begin),
                       [](std::int16_t sample) { return toFloat * static_cast<float>(sample); });
        return;
    }
    const auto size = static_cast<std::int64_t>(input.size());
    const auto count = static_cast<std::int64_t>(static_cast<double>(last - first) / speed);
    const std::size_t begin = output.size();
    output.resize(begin + static_cast<std::size_t>(count));
    const auto out = std::span(output).subspan(begin);
    const auto step = static_cast<std::int64_t>(speed * fixedPoint);
    const auto position = [&](std::int64_t i) { return (first << 32) + step * i; };
    const auto fraction = [](std::int64_t at) { return static_cast<float>((at >> 8) & 0xffffff) * 0x1p-24f; };
    const auto atEdge = [&](std::int64_t i) {
        const auto near = [&](std::int64_t index) {
            return static_cast<float>(
                input[static_cast<std::size_t>(std::clamp<std::int64_t>(index, 0, size - 1))]);
        };
        const auto whole = position(i) >> 32;
        out[static_cast<std::size_t>(i)] = toFloat * cubic(near(whole - 1), near(whole), near(whole + 1),
                                                           near(whole + 2), fraction(position(i)));
    };
    // If all four neighbours lie within the clip, no index is checked.
    std::int64_t i = 0;
    for (; i < count && position(i) >> 32 < 1; ++i) atEdge(i);
    const std::int64_t room = ((size - 2) << 32) - position(0);
    const std::int64_t inner = std::clamp<std::int64_t>((room + step - 1) / step, i, std::max(i, count));
    for (std::int64_t at = position(i); i < inner; ++i, at += step) {
        const std::int16_t* y = input.data() + (at >> 32);
        out[static_cast<std::size_t>(i)] = toFloat * cubic(y[-1], y[0], y[1], y[2], fraction(at));
    }
    for (; i < count; ++i) atEdge(i);
}

void fadeIn(std::span<float> samples, std::size_t length) {
    length = std::min(length, samples.size());
    for (std::size_t i = 0; i < length; ++i) samples[i] *= fadeGain(i, length);
}

void fadeOut(std::span<float> samples, std::size_t length) {
    length = std::min(length, samples.size());
    for (std::size_t i = 0; i < length; ++i) samples[samples.size() - 1 - i] *= fadeGain(i, length);
}

void tilt(std::span<float> samples, double pivotHz, double decibels, double sampleRate) {
    // low: one-pole low-pass; high: the rest.
    const double coefficient = 1.0 - std::exp(-2.0 * std::numbers::pi * pivotHz / sampleRate);
    const auto a = static_cast<float>(coefficient);
    const auto lowGain = static_cast<float>(std::pow(10.0, -decibels / 40.0));
    const auto highGain = static_cast<float>(std::pow(10.0, decibels / 40.0));
    const float kept = 1.0f - a;
    float low = 0.0f;
    for (float& sample : samples) {
        low = kept * low + a * (sample + antiDenormal);
        sample = highGain * sample + (lowGain - highGain) * low;
    }
}

void lowPass(std::span<float> samples, double cutHz, int sections, double sampleRate) {
    switch (std::clamp(sections, 1, 5)) {
    case 1:
        return butterworth<1>(samples, cutHz, sampleRate);
    case 2:
        return butterworth<2>(samples, cutHz, sampleRate);
    case 3:
        return butterworth<3>(samples, cutHz, sampleRate);
    case 4:
        return butterworth<4>(samples, cutHz, sampleRate);
    default:
        return butterworth<5>(samples, cutHz, sampleRate);
    }
}

float peakOf(std::span<const float> samples) {
    std::array<float, lanes> peaks{};
    while (samples.size() >= lanes) {
        for (std::size_t k = 0; k < lanes; ++k) peaks[k] = std::max(peaks[k], std::abs(samples[k]));
        samples = samples.subspan(lanes);
    }
    for (const float sample : samples) peaks[0] = std::max(peaks[0], std::abs(sample));
    return std::ranges::max(peaks);
}

double energyOf(std::span<const float> samples) {
    std::array<float, lanes> sums{};
    while (samples.size() >= lanes) {
        for (std::size_t k = 0; k < lanes; ++k) sums[k] += samples[k] * samples[k];
        samples = samples.subspan(lanes);
    }
    for (const float sample : samples) sums[0] += sample * sample;
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void Reverb::process(std::span<float> samples, const Room& room, double sampleRate) {
    static constexpr std::array combs = {0.0297, 0.0371, 0.0411, 0.0437}; // seconds
    static constexpr std::array allPasses = {0.0050, 0.0017};
    constexpr float diffusion = 0.7f;
    const auto samplesOf = [&](double seconds) {
        return static_cast<std::size_t>(std::max(1.0, room.size * seconds * sampleRate));
    };

    wet_.assign(samples.size(), 0.0f);
    for (const double seconds : combs) {
        const std::size_t length = samplesOf(seconds);
        const auto feedback = static_cast<float>(
            std::pow(10.0, -3.0 * static_cast<double>(length) / (room.seconds * sampleRate)));
        delay_.assign(length, 0.0f);
        std::size_t at = 0;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const float y = delay_[at];
            wet_[i] += y;
            delay_[at] = samples[i] + antiDenormal + feedback * y;
            if (++at == length) at = 0;
        }
    }
    for (const double seconds : allPasses) {
        const std::size_t length = samplesOf(seconds);
        delay_.assign(length, 0.0f);
        std::size_t at = 0;
        for (float& sample : wet_) {
            const float delayed = delay_[at];
            const float x = sample + antiDenormal + diffusion * delayed;
            sample = delayed - diffusion * x;
            delay_[at] = x;
            if (++at == length) at = 0;
        }
    }
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += 0.5f * room.wet * wet_[i];
}

void Convolver::process(std::span<float> samples, std::span<const float> response, float wet) {
    if (samples.empty() || response.empty()) return;
    constexpr int smallest = 4096;
    int size = smallest;
    while (static_cast<std::size_t>(size) < 2 * response.size()) size *= 2;
    auto& fft = transforms_.try_emplace(size, size).first->second;
    const auto load = [&fft](std::span<const float> part) {
        const auto rest = std::ranges::copy(part, fft.input().begin()).out;
        std::fill(rest, fft.input().end(), 0.0f);
    };
    load(response);
    const auto spectrum = fft.transform();
    spectrum_.assign(spectrum.begin(), spectrum.end());

    const std::size_t block = static_cast<std::size_t>(size) - response.size() + 1;
    sum_.assign(samples.size(), 0.0f);
    const float scale = 1.0f / static_cast<float>(size);
    for (std::size_t begin = 0; begin < samples.size(); begin += block) {
        load(samples.subspan(begin, std::min(block, samples.size() - begin)));
        multiply(fft);
        const auto bins = fft.transform();
        const auto whole = static_cast<std::size_t>(size);
        const std::size_t count = std::min(whole, samples.size() - begin);
        for (std::size_t i = 0; i < count; ++i) {
            const bool mirrored = i > whole / 2;
            const std::size_t k = mirrored ? whole - i : i;
            const float value = bins[2 * k] + (mirrored ? bins[2 * k + 1] : -bins[2 * k + 1]);
            sum_[begin + i] += scale * value;
        }
    }
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = (1.0f - wet) * samples[i] + wet * sum_[i];
}

// Transforms fft.input(), multiplies it by spectrum_, and sets fft.input() to the product's Hartley form:
// real part less imaginary part. The transform of that form, likewise combined, is the inverse times the
// size.
void Convolver::multiply(frontend::RealFft& fft) const {
    const auto bins = fft.transform();
    const auto out = fft.input();
    const std::size_t last = bins.size() / 2 - 1;
    for (std::size_t k = 0; k <= last; ++k) {
        const float a = bins[2 * k], b = bins[2 * k + 1];
        const float c = spectrum_[2 * k], d = spectrum_[2 * k + 1];
        const float real = a * c - b * d, imaginary = a * d + b * c;
        if (k > 0 && k < last) out[out.size() - k] = real + imaginary;
        out[k] = real - imaginary;
    }
}

void drawStripes(Dice& dice, const SceneSettings& settings, int frames, int bands,
                 std::vector<Stripe>& stripes) {
    if (!dice.chance(settings.stripeShare)) return;
    const auto draw = [&](bool inTime, int most, int widest, int size) {
        const int count = dice.from(0, std::max(0, most));
        for (int i = 0; i < count; ++i) {
            const int width = dice.from(1, std::clamp(widest, 1, size));
            stripes.push_back({.inTime = inTime, .first = dice.from(0, size - width), .count = width});
        }
    };
    draw(true, settings.timeStripes, settings.maxTimeStripe, frames);
    draw(false, settings.melStripes, settings.maxMelStripe, bands);
}

void applyFilterAugment(Dice& dice, const SceneSettings& settings, int bands, std::span<float> logMel) {
    if (!dice.chance(settings.filterShare)) return;
    const auto gains = drawGains(dice, settings.filterRange, bands);
    for (std::size_t i = 0; i < logMel.size(); ++i)
        if (logMel[i] > frontend::silenceDecibels)
            logMel[i] = std::max(frontend::silenceDecibels, logMel[i] + gains[i % gains.size()]);
}

std::vector<Mix> chooseMixes(std::size_t batch, float share, float alpha, std::uint64_t seed) {
    assert(alpha > 0.0f && alpha <= 2.0f);
    std::mt19937_64 generator(seed);
    std::vector<std::size_t> others(batch);
    std::iota(others.begin(), others.end(), std::size_t{0});
    for (std::size_t i = batch; i > 1; --i) std::swap(others[i - 1], others[generator() % i]);
    std::vector<Mix> mixes(batch);
    for (std::size_t i = 0; i < batch; ++i) {
        const bool wanted = uniform(generator) < share;
        const double weight = beta(alpha, generator);
        mixes[i].other = i;
        if (wanted && others[i] != i)
            mixes[i] = {others[i], static_cast<float>(std::min(weight, 1.0 - weight))};
    }
    return mixes;
}

bool canMix(const Example& a, const Example& b) { return a.weak == b.weak && a.known == b.known; }

void mix(const Example& a, const Example& b, float share, std::span<float> logMel, Example& labels) {
    assert(logMel.size() == a.logMel.size());
    labels.weak = a.weak;
    labels.known = a.known;
    labels.targets = a.targets;
    labels.taught = a.taught;
    if (!(share > 0.0f) || &a == &b) {
        std::copy(a.logMel.begin(), a.logMel.end(), logMel.begin());
        return;
    }
    assert(b.logMel.size() == a.logMel.size() && b.targets.size() == a.targets.size());
    const float own = 1.0f - share;
    for (std::size_t i = 0; i < logMel.size(); ++i) logMel[i] = own * a.logMel[i] + share * b.logMel[i];
    for (std::size_t i = 0; i < a.targets.size(); ++i)
        labels.targets[i] = own * a.targets[i] + share * b.targets[i];
}

} // namespace earshot::training
