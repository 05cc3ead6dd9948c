#include "Core/Frontend/LogMel.h"

#include "Core/Frontend/MelFilterBank.h"
#include "Core/Frontend/PowerSpectrogram.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::frontend {

namespace {

constexpr float smallestEnergy = 1e-10f;

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
        for (float& value : frame) value = 10.0f * std::log10(std::max(value, smallestEnergy));
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
