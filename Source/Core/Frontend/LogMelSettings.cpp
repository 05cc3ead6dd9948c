#include "Core/Frontend/LogMelSettings.h"

#include "Core/Base/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::frontend {

namespace {

void requireRange(const char* what, int value, int low, int high) {
    if (value < low || value > high)
        throw Error(fmt::format("log-mel {}: expected {} to {}, found {}", what, low, high, value));
}

} // namespace

void validate(const LogMelSettings& settings) {
    requireRange("sample rate in Hz", settings.sampleRate, 1, 10'000'000);
    requireRange("FFT size", settings.fftSize, 16, 65536);
    if (settings.fftSize % 2 != 0)
        throw Error(fmt::format("log-mel FFT size: expected an even number, found {}", settings.fftSize));
    requireRange("hop size", settings.hopSize, 1, settings.fftSize);
    requireRange("bands", settings.melBands, 1, settings.bins());

    if (!settings.filters.empty()) {
        const auto expected =
            static_cast<std::size_t>(settings.bins()) * static_cast<std::size_t>(settings.melBands);
        if (settings.filters.size() != expected)
            throw Error(fmt::format("mel filter matrix: expected ({}, {}) values, found {}", settings.bins(),
                                    settings.melBands, settings.filters.size()));
        if (!std::all_of(settings.filters.begin(), settings.filters.end(),
                         [](float w) { return std::isfinite(w); }))
            throw Error("mel filter matrix: holds values that are not finite");
        return; // a matrix of filters makes the band edges irrelevant
    }

    const double nyquist = 0.5 * settings.sampleRate;
    if (!(settings.lowHz >= 0.0 && settings.lowHz < settings.highHz && settings.highHz <= nyquist))
        throw Error(fmt::format("mel bands: expected 0 <= lowest < highest <= {} Hz, found {} to {} Hz",
                                nyquist, settings.lowHz, settings.highHz));
}

} // namespace earshot::frontend
