#include "Core/Frontend/LogMel.h"

#include "Core/Frontend/MelFilterBank.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace earshot::frontend {

namespace {

// The periodic form (not the symmetric one): one period of a raised cosine, as overlapping frames need it.
std::vector<float> hannTaper(int size) {
    std::vector<float> taper(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < taper.size(); ++i)
        taper[i] =
            static_cast<float>(0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / size));
    return taper;
}

} // namespace

PowerSpectrogram::PowerSpectrogram(int fftSize, int hopSize)
    : framer_(fftSize, hopSize)
    , fft_(fftSize)
    , taper_(hannTaper(fftSize))
    , power_(static_cast<std::size_t>(fftSize / 2 + 1)) {}

std::span<const float> PowerSpectrogram::next(std::span<const float>& samples) {
    if (!framer_.next(samples)) return {};

    const auto frame = framer_.frame();
    const auto input = fft_.input();
    for (std::size_t i = 0; i < frame.size(); ++i) input[i] = frame[i] * taper_[i];

    const auto spectrum = fft_.transform();
    for (std::size_t bin = 0; bin < power_.size(); ++bin) {
        const float real = spectrum[2 * bin];
        const float imaginary = spectrum[2 * bin + 1];
        power_[bin] = real * real + imaginary * imaginary;
    }
    return power_;
}

namespace {

constexpr float minEnergy = 1e-10f;

LogMelSettings validated(LogMelSettings settings) {
    validate(settings);
    return settings;
}

MelFilterBank makeFilterBank(const LogMelSettings& settings) {
    const auto matrix = settings.filters.empty() ? melFilterMatrix(settings) : settings.filters;
    return {matrix, settings.bins(), settings.melBands};
}

} // namespace

struct LogMel::Impl {
    explicit Impl(LogMelSettings checked)
        : settings(std::move(checked))
        , spectrogram(settings.fftSize, settings.hopSize)
        , filterBank(makeFilterBank(settings)) {}

    void extract(std::span<const float> samples, std::vector<float>& frames);

    LogMelSettings settings;
    PowerSpectrogram spectrogram;
    MelFilterBank filterBank;
};

void LogMel::Impl::extract(std::span<const float> samples, std::vector<float>& frames) {
    const auto bands = static_cast<std::size_t>(settings.melBands);
    for (auto power = spectrogram.next(samples); !power.empty(); power = spectrogram.next(samples)) {
        frames.resize(frames.size() + bands);
        const auto frame = std::span(frames).last(bands);
        filterBank.apply(power, frame);
        for (float& value : frame) value = 10.0f * std::log10(std::max(value, minEnergy));
    }
}

LogMel::LogMel(LogMelSettings settings)
    : impl_(std::make_unique<Impl>(validated(std::move(settings)))) {}
LogMel::~LogMel() = default;
LogMel::LogMel(LogMel&&) noexcept = default;
LogMel& LogMel::operator=(LogMel&&) noexcept = default;

const LogMelSettings& LogMel::settings() const { return impl_->settings; }

void LogMel::push(std::span<const float> samples, std::vector<float>& frames) {
    impl_->extract(samples, frames);
}

void LogMel::finish(std::vector<float>& frames) {
    impl_->spectrogram.finish();
    impl_->extract({}, frames);
}

void LogMel::reset() { impl_->spectrogram.reset(); }

std::int64_t LogMel::frameCount(std::int64_t samples) const {
    return samples <= 0 ? 0 : samples / impl_->settings.hopSize + 1;
}

std::vector<float> logMelSpectrogram(const LogMelSettings& settings, std::span<const float> samples) {
    LogMel logMel(settings);
    std::vector<float> frames;
    frames.reserve(static_cast<std::size_t>(logMel.frameCount(static_cast<std::int64_t>(samples.size()))) *
                   static_cast<std::size_t>(settings.melBands));
    logMel.push(samples, frames);
    logMel.finish(frames);
    return frames;
}

} // namespace earshot::frontend
