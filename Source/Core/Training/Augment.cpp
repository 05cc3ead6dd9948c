#include "Core/Training/Augment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace earshot::training {

namespace {

constexpr float toFloat = 1.0f / 32768.0f;
// Keeps filters' memories out of denormal numbers, which are slow; far below hearing.
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

void apply(const Biquad& f, std::span<float> samples) {
    float s1 = 0.0f, s2 = 0.0f;
    for (float& sample : samples) {
        const float x = sample + antiDenormal;
        const float y = f.b0 * x + s1;
        s1 = f.b1 * x - f.a1 * y + s2;
        s2 = f.b2 * x - f.a2 * y;
        sample = y;
    }
}

} // namespace

void appendAtSpeed(std::span<const std::int16_t> input, std::int64_t first, std::int64_t last, double speed,
                   std::vector<float>& output) {
    if (speed == 1.0) {
        for (auto i = first; i < last; ++i)
            output.push_back(toFloat * static_cast<float>(input[static_cast<std::size_t>(i)]));
        return;
    }
    const auto size = static_cast<std::int64_t>(input.size());
    const auto at = [&](std::int64_t i) {
        return toFloat *
               static_cast<float>(input[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, size - 1))]);
    };
    const auto count = static_cast<std::size_t>(static_cast<double>(last - first) / speed);
    const std::size_t begin = output.size();
    output.resize(begin + count);
    const auto out = std::span(output).subspan(begin);
    for (std::size_t i = 0; i < count; ++i) {
        const double position = static_cast<double>(first) + speed * static_cast<double>(i);
        const auto whole = static_cast<std::int64_t>(position);
        const auto x = static_cast<float>(position - static_cast<double>(whole));
        if (whole >= 1 && whole + 2 < size) {
            const std::int16_t* y = input.data() + whole;
            out[i] = toFloat * cubic(y[-1], y[0], y[1], y[2], x);
        } else {
            out[i] = cubic(at(whole - 1), at(whole), at(whole + 1), at(whole + 2), x);
        }
    }
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
    float low = 0.0f;
    for (float& sample : samples) {
        low += a * (sample + antiDenormal - low);
        sample = highGain * sample + (lowGain - highGain) * low;
    }
}

void lowPass(std::span<float> samples, double cutHz, int sections, double sampleRate) {
    for (int k = 0; k < sections; ++k) {
        const double angle = std::numbers::pi * (2.0 * k + 1.0) / (4.0 * sections);
        apply(lowPassSection(cutHz, 0.5 / std::cos(angle), sampleRate), samples);
    }
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

} // namespace earshot::training
