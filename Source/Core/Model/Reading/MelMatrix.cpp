#include "Core/Model/Reading/MelMatrix.h"

#include "Core/Frontend/MelFilterBank.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

namespace earshot::model {

namespace {

using frontend::MelScale;

// Of audio interfaces, voice, and recorders of bats.
constexpr std::array usualRates = {8000,  11025, 12000, 16000,  22050,  24000,  32000,  44100,  48000,
                                   64000, 88200, 96000, 192000, 250000, 256000, 384000, 500000, 768000};
constexpr int minRate = 1000, maxRate = 768000; // as Config::validate()

struct MelTolerance {
    double triangle;  // difference of a weight, as a share of its band's height
    double rateShare; // of the rate that heights show
    double hertz;     // of the band edges, and this share of them:
    double edgeShare;
    double slack; // the usual rate is taken unless another is better by this
};
constexpr MelTolerance singleTolerance = {1e-3, 1e-3, 0.05, 2e-5, 1e-4};
constexpr MelTolerance halfTolerance = {0.02, 0.02, 0.5, 3e-4,
                                        5e-3}; // of weights that were once float16 or bfloat16

// Weights of a side of a triangle: weight = slope * (bin - zero).
struct MelSide {
    double slope = 0.0, zero = 0.0;
};

// One band's corners in bins, and its height.
struct MelTriangle {
    int band = 0;
    double low = 0.0, centre = 0.0, high = 0.0;
    double height = 0.0;

    double width() const { return high - low; }
};

class MelBank {
  public:
    MelBank(std::span<const float> values, int bins, int bands)
        : values_(values)
        , bins_(bins)
        , bands_(bands) {
        assert(values.size() == static_cast<std::size_t>(bins) * static_cast<std::size_t>(bands));
    }

    int bins() const { return bins_; }
    int bands() const { return bands_; }
    double at(int bin, int band) const {
        return values_[static_cast<std::size_t>(bin) * static_cast<std::size_t>(bands_) +
                       static_cast<std::size_t>(band)];
    }
    bool isBank() const {
        return std::ranges::all_of(values_, [](float w) { return std::isfinite(w) && w >= 0.0f; });
    }

    // Returns nothing for a band without two weights on either side of its largest one, as the lowest have.
    std::optional<MelTriangle> triangle(int band) const {
        int first = 0, last = bins_ - 1;
        while (first < last && at(first, band) == 0.0) ++first;
        while (last > first && at(last, band) == 0.0) --last;
        int peak = first;
        for (int bin = first; bin <= last; ++bin)
            if (at(bin, band) > at(peak, band)) peak = bin;
        // A band that the spectrum cuts has no other side.
        const bool cut = last == bins_ - 1 && peak == last;
        if (peak - first < 2 || last - peak < 2 || cut) return std::nullopt;
        const auto rise = side(band, first, peak - 1), fall = side(band, peak + 1, last);
        if (!(rise.slope > 0.0 && fall.slope < 0.0)) return std::nullopt;
        MelTriangle found{.band = band,
                          .low = rise.zero,
                          .centre =
                              (rise.slope * rise.zero - fall.slope * fall.zero) / (rise.slope - fall.slope),
                          .high = fall.zero,
                          .height = 0.0};
        found.height = rise.slope * (found.centre - found.low);
        const bool plausible = found.low < found.centre && found.centre < found.high && found.height > 0.0 &&
                               found.width() <= 2.0 * bins_;
        return plausible ? std::optional(found) : std::nullopt;
    }

  private:
    // The line through the weights, by least squares.
    MelSide side(int band, int first, int last) const {
        const double count = last - first + 1, mean = 0.5 * (first + last);
        double sum = 0.0, product = 0.0, square = 0.0;
        for (int bin = first; bin <= last; ++bin) {
            sum += at(bin, band);
            product += (bin - mean) * at(bin, band);
            square += (bin - mean) * (bin - mean);
        }
        const double slope = product / square;
        return {slope, mean - sum / count / slope};
    }

    std::span<const float> values_;
    int bins_, bands_;
};

struct MelCandidate {
    MelSettings settings;
    double error = 0.0; // largest difference, as a share of a band's height
};

class MelRecovery {
  public:
    MelRecovery(const MelBank& matrix, const MelTolerance& tolerance)
        : matrix_(matrix)
        , tolerance_(tolerance) {
        for (int band = 0; band < matrix.bands(); ++band)
            if (const auto found = matrix.triangle(band)) triangles_.push_back(*found);
    }

    std::optional<MelSettings> run() {
        constexpr std::size_t minTriangles = 3;
        if (triangles_.size() < minTriangles) return std::nullopt;
        if (const auto shown = rateOfHeights()) {
            hasHeights_ = true;
            std::vector<int> rates;
            std::ranges::copy_if(usualRates, std::back_inserter(rates), [&](int rate) {
                return std::abs(rate - *shown) <= tolerance_.rateShare * *shown;
            });
            rates.push_back(static_cast<int>(std::lround(*shown)));
            if (const auto found = best(rates)) return found;
        }
        hasHeights_ = false;
        return best(usualRates);
    }

  private:
    // Returns the rate that the heights of the widest bands show if all of them are normalised by area.
    std::optional<double> rateOfHeights() const {
        auto widest = triangles_;
        std::ranges::sort(widest, std::ranges::greater(), &MelTriangle::width);
        widest.resize(std::max<std::size_t>(3, widest.size() / 4));
        const double fftSize = 2.0 * (matrix_.bins() - 1);
        const auto rateOf = [&](const MelTriangle& t) { return 2.0 / (t.width() * t.height) * fftSize; };
        double sum = 0.0;
        for (const auto& triangle : widest) sum += rateOf(triangle);
        const double rate = sum / static_cast<double>(widest.size());
        const bool agree = std::ranges::all_of(widest, [&](const MelTriangle& triangle) {
            return std::abs(rateOf(triangle) - rate) <= tolerance_.rateShare * rate;
        });
        if (!agree || !(rate >= minRate - 0.5 && rate < maxRate + 0.5)) return std::nullopt;
        return rate;
    }

    // Fits the band edges at this rate, and rebuilds the matrix.
    std::optional<MelCandidate> candidate(int rate, MelScale scale) const {
        const double spacing = rate / (2.0 * (matrix_.bins() - 1)); // Hz of a bin
        // The corners are equally spaced in mel: mel = offset + step * corner.
        double count = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
        const auto add = [&](int corner, double bin) {
            const double mel = frontend::hzToMel(bin * spacing, scale);
            ++count, x += corner, y += mel, xx += static_cast<double>(corner) * corner, xy += corner * mel;
        };
        for (const auto& triangle : triangles_) {
            if (triangle.low < -0.5) continue;
            add(triangle.band, triangle.low);
            add(triangle.band + 1, triangle.centre);
            add(triangle.band + 2, triangle.high);
        }
        const double spread = count * xx - x * x;
        if (!(spread > 0.0)) return std::nullopt;
        const double step = (count * xy - x * y) / spread, offset = (y - step * x) / count;
        if (!(step > 0.0) || !isEven(step, offset, spacing, scale)) return std::nullopt;
        MelCandidate found;
        found.settings = {.sampleRate = rate,
                          .lowHz = rounded(std::max(0.0, frontend::melToHz(offset, scale))),
                          .highHz = rounded(frontend::melToHz(offset + step * (matrix_.bands() + 1), scale)),
                          .scale = scale};
        if (!(found.settings.lowHz < found.settings.highHz && found.settings.highHz <= maxRate))
            return std::nullopt;
        found.error = errorOf(found.settings);
        if (!(found.error <= tolerance_.triangle)) return std::nullopt;
        return found;
    }

    // Whether the centres lie where the line says: a cheap test before a matrix is built.
    bool isEven(double step, double offset, double spacing, MelScale scale) const {
        constexpr double share = 0.3; // of a step
        return std::ranges::all_of(triangles_, [&](const MelTriangle& triangle) {
            const double mel = frontend::hzToMel(triangle.centre * spacing, scale);
            return std::abs(offset + step * (triangle.band + 1) - mel) <= share * step;
        });
    }

    // People choose round numbers.
    double rounded(double hertz) const {
        const double tolerance = tolerance_.hertz + tolerance_.edgeShare * hertz;
        for (const double step : {50.0, 10.0, 1.0, 0.5, 0.1})
            if (const double near = std::round(hertz / step) * step; std::abs(near - hertz) <= tolerance)
                return near;
        return hertz;
    }

    double errorOf(const MelSettings& settings) const {
        const auto rebuilt = frontend::melFilterMatrix({.sampleRate = settings.sampleRate,
                                                        .fftSize = 2 * (matrix_.bins() - 1),
                                                        .melBands = matrix_.bands(),
                                                        .lowHz = settings.lowHz,
                                                        .highHz = settings.highHz,
                                                        .scale = settings.scale,
                                                        .filters = {}});
        const MelBank expected(rebuilt, matrix_.bins(), matrix_.bands());
        double worst = 0.0;
        for (int band = 0; band < matrix_.bands(); ++band)
            worst = std::max(worst, errorOf(expected, settings, band));
        return worst;
    }

    double errorOf(const MelBank& expected, const MelSettings& settings, int band) const {
        double found = 0.0, square = 0.0;
        for (int bin = 0; bin < matrix_.bins(); ++bin) {
            found += matrix_.at(bin, band) * expected.at(bin, band);
            square += expected.at(bin, band) * expected.at(bin, band);
        }
        // Without area normalisation each band has a height of its own.
        const double factor = hasHeights_ ? 1.0 : square > 0.0 ? found / square : 0.0;
        const double height = heightOf(settings, band);
        double worst = 0.0;
        for (int bin = 0; bin < matrix_.bins(); ++bin)
            worst = std::max(worst, std::abs(matrix_.at(bin, band) - factor * expected.at(bin, band)));
        if (factor == 0.0) return worst > 0.0 ? 1.0 : 0.0;
        return worst / (factor * height);
    }

    double heightOf(const MelSettings& settings, int band) const {
        const double low = frontend::hzToMel(settings.lowHz, settings.scale);
        const double step =
            (frontend::hzToMel(settings.highHz, settings.scale) - low) / (matrix_.bands() + 1);
        return 2.0 / (frontend::melToHz(low + step * (band + 2), settings.scale) -
                      frontend::melToHz(low + step * band, settings.scale));
    }

    // Of the rates that give this matrix. Without heights there must be only one.
    std::optional<MelSettings> best(std::span<const int> rates) const {
        std::optional<MelCandidate> chosen; // usual rates come first
        for (const int rate : rates)
            for (const auto scale : {MelScale::slaney, MelScale::htk}) {
                const auto found = candidate(rate, scale);
                if (!found) continue;
                if (chosen && !hasHeights_ && chosen->settings.sampleRate != rate) return std::nullopt;
                if (!chosen || found->error < chosen->error - tolerance_.slack) chosen = found;
            }
        return chosen ? std::optional(chosen->settings) : std::nullopt;
    }

    const MelBank& matrix_;
    MelTolerance tolerance_;
    std::vector<MelTriangle> triangles_;
    bool hasHeights_ = false;
};

} // namespace

std::optional<MelSettings> recoverMelSettings(std::span<const float> matrix, int bins, int bands) {
    if (bins < 2 || bands < 1) return std::nullopt;
    const MelBank values(matrix, bins, bands);
    if (!values.isBank()) return std::nullopt;
    for (const MelTolerance& tolerance : {singleTolerance, halfTolerance})
        if (const auto found = MelRecovery(values, tolerance).run()) return found;
    return std::nullopt;
}

} // namespace earshot::model
