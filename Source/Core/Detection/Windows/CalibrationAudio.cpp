#include "Core/Detection/Windows/CalibrationAudio.h"

#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Frontend/LogMel.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace earshot::detection {

namespace {

constexpr int recordings = 4;
constexpr int segments = 20; // per recording, half a second each
constexpr int levels = 8;    // in steps of 4.5 dB

// Generates one kind of sound at a time. It uses the random generator directly, because that gives the same
// numbers with every standard library; a library's distributions do not.
class SoundMaker {
  public:
    explicit SoundMaker(int sampleRate)
        : sampleRate_(static_cast<float>(sampleRate)) {}

    // Returns sample `index` of a segment of `count` samples.
    using Kind = float (SoundMaker::*)(int index, int count);
    static constexpr int kinds = 6;

    void begin(int number) { number_ = number; }
    float sample(int kind, int index, int count) {
        constexpr std::array<Kind, kinds> all{&SoundMaker::hiss,   &SoundMaker::tone,    &SoundMaker::sweep,
                                              &SoundMaker::clicks, &SoundMaker::silence, &SoundMaker::bursts};
        return (this->*all[static_cast<std::size_t>(kind)])(index, count);
    }

  private:
    // The sum of twelve uniform values is nearly normal.
    float noise() {
        float sum = -6.0f;
        for (int i = 0; i < 12; ++i) sum += static_cast<float>(random_() >> 8) * 0x1.0p-24f;
        return sum;
    }
    float advance(float hertz) {
        phase_ = std::fmod(phase_ + hertz / sampleRate_, 1.0f);
        return phase_ * 2.0f * std::numbers::pi_v<float>;
    }
    float hiss(int, int) { return noise(); }
    float tone(int, int) {
        const float angle = advance(80.0f * std::exp2(static_cast<float>(number_ % 7)));
        return std::sin(angle) + 0.5f * std::sin(2.0f * angle) + 0.3f * std::sin(3.0f * angle);
    }
    float sweep(int index, int count) {
        return std::sin(
            advance(60.0f * std::pow(200.0f, static_cast<float>(index) / static_cast<float>(count))));
    }
    float clicks(int index, int count) { return index % (count / 4) < 40 ? 3.0f * noise() : 0.0f; }
    float silence(int, int) { return 0.0f; }
    float bursts(int index, int count) {
        const int length = count / 4;
        const float within = static_cast<float>(index % length) / static_cast<float>(length);
        return noise() * std::exp(-12.0f * within);
    }

    float sampleRate_;
    std::mt19937 random_{1};
    float phase_ = 0.0f;
    int number_ = 0;
};

std::vector<float> makeRecording(SoundMaker& sounds, int recording, std::size_t samples) {
    std::vector<float> audio(samples);
    const int count = static_cast<int>(samples) / segments;
    for (int segment = 0; segment < segments; ++segment) {
        sounds.begin(3 * segment + recording);
        const int kind = (7 * segment + 3 * recording) % SoundMaker::kinds;
        const int quieter = (5 * segment + 11 * recording) % levels;
        const float level = 0.5f * std::pow(10.0f, -0.225f * static_cast<float>(quieter));
        float* const out = audio.data() + static_cast<std::ptrdiff_t>(segment) * count;
        for (int i = 0; i < count; ++i) out[i] = level * sounds.sample(kind, i, count);
    }
    return audio;
}

} // namespace

std::vector<std::vector<float>> calibrationWindows(const model::Weights& weights) {
    const auto& config = weights.config();
    const auto frames = static_cast<std::size_t>(config.windowFrames());
    const auto bands = static_cast<std::size_t>(config.melBands);
    const auto settings = logMelSettings(weights);
    SoundMaker sounds(config.sampleRate);
    std::vector<std::vector<float>> windows;
    for (int recording = 0; recording < recordings; ++recording) {
        const auto audio =
            makeRecording(sounds, recording, frames * static_cast<std::size_t>(config.hopSize));
        windows.push_back(frontend::logMelSpectrogram(settings, audio));
        windows.back().resize(frames * bands); // the frontend gives one frame more
    }
    return windows;
}

std::shared_ptr<const model::Weights> loadWeights(const model::ModelSource& source,
                                                  model::Precision precision, const StopToken& stop) {
    return model::loadWeights(source, precision, calibrationWindows, stop);
}

} // namespace earshot::detection
