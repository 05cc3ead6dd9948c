#include "Core/Frontend/MelFilterBank.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::frontend {

namespace {

// Slaney's scale: 200/3 Hz per mel up to 1 kHz, then 27 mel per factor of 6.4.
constexpr double slaneyHzPerMel = 200.0 / 3.0;
constexpr double slaneyKneeHz = 1000.0;
constexpr double slaneyKneeMel = slaneyKneeHz / slaneyHzPerMel;
const double slaneyLogStep = std::log(6.4) / 27.0;

// Independent partial sums let the compiler use vector registers without reordering one sum.
float dotProduct(const float* a, const float* b, std::size_t count) {
    constexpr std::size_t lanes = 8;
    float sums[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    float total = 0.0f;
    for (; i < count; ++i) total += a[i] * b[i];
    for (const float sum : sums) total += sum;
    return total;
}

} // namespace

double hzToMel(double hz, MelScale scale) {
    if (scale == MelScale::htk) return 2595.0 * std::log10(1.0 + hz / 700.0);
    return hz < slaneyKneeHz ? hz / slaneyHzPerMel
                             : slaneyKneeMel + std::log(hz / slaneyKneeHz) / slaneyLogStep;
}

double melToHz(double mel, MelScale scale) {
    if (scale == MelScale::htk) return 700.0 * (std::pow(10.0, mel / 2595.0) - 1.0);
    return mel < slaneyKneeMel ? mel * slaneyHzPerMel
                               : slaneyKneeHz * std::exp(slaneyLogStep * (mel - slaneyKneeMel));
}

double MelImage::position(double hertz) const {
    const double low = hzToMel(lowHz, scale), high = hzToMel(highHz, scale);
    if (bands < 1 || high <= low) return 1.0;
    const double band = (hzToMel(hertz, scale) - low) / (high - low) * (bands + 1) - 0.5;
    return std::clamp(1.0 - band / bands, 0.0, 1.0);
}

double MelImage::frequency(double position) const {
    const double low = hzToMel(lowHz, scale), high = hzToMel(highHz, scale);
    const double mel = std::clamp(((1.0 - position) * bands + 0.5) / (bands + 1), 0.0, 1.0);
    return melToHz(low + mel * (high - low), scale);
}

std::vector<float> melFilterMatrix(const LogMelSettings& settings) {
    const auto bins = static_cast<std::size_t>(settings.bins());
    const auto bands = static_cast<std::size_t>(settings.melBands);
    const double lowMel = hzToMel(settings.lowHz, settings.scale);
    const double highMel = hzToMel(settings.highHz, settings.scale);
    std::vector<double> corners(bands + 2); // Hz
    for (std::size_t i = 0; i < corners.size(); ++i)
        corners[i] =
            melToHz(lowMel + (highMel - lowMel) * static_cast<double>(i) / static_cast<double>(bands + 1),
                    settings.scale);

    std::vector<float> matrix(bins * bands);
    for (std::size_t band = 0; band < bands; ++band) {
        const double low = corners[band];
        const double centre = corners[band + 1];
        const double high = corners[band + 2];
        for (std::size_t bin = 0; bin < bins; ++bin) {
            const double hz = static_cast<double>(bin) * settings.sampleRate / settings.fftSize;
            const double triangle = std::min((hz - low) / (centre - low), (high - hz) / (high - centre));
            matrix[bin * bands + band] = static_cast<float>(std::max(0.0, triangle) * 2.0 / (high - low));
        }
    }
    return matrix;
}

MelFilterBank::MelFilterBank(std::span<const float> matrix, int bins, int bands)
    : bins_(static_cast<std::size_t>(bins))
    , bands_(static_cast<std::size_t>(bands)) {
    assert(matrix.size() == bins_ * bands_.size());
    for (std::size_t index = 0; index < bands_.size(); ++index) {
        Band& band = bands_[index];
        band.firstWeight = weights_.size();
        const auto weight = [&](std::size_t bin) { return matrix[bin * bands_.size() + index]; };
        std::size_t end = bins_;
        while (end > 0 && weight(end - 1) == 0.0f) --end;
        while (band.firstBin < end && weight(band.firstBin) == 0.0f) ++band.firstBin;
        band.bins = end - band.firstBin;
        for (std::size_t bin = band.firstBin; bin < end; ++bin) weights_.push_back(weight(bin));
    }
}

void MelFilterBank::apply(std::span<const float> power, std::span<float> energies) const {
    assert(power.size() == bins_ && energies.size() == bands_.size());
    for (std::size_t i = 0; i < bands_.size(); ++i)
        energies[i] = dotProduct(power.data() + bands_[i].firstBin, weights_.data() + bands_[i].firstWeight,
                                 bands_[i].bins);
}

} // namespace earshot::frontend
