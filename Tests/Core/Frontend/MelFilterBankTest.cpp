#include "Core/Frontend/MelFilterBank.h"

#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace earshot;
using frontend::LogMelSettings;
using frontend::MelFilterBank;
using frontend::MelScale;

TEST_CASE("The Slaney scale is linear below 1 kHz and logarithmic above", "[unit]") {
    REQUIRE(frontend::hzToMel(500.0, MelScale::slaney) == Approx(7.5));
    REQUIRE(frontend::hzToMel(1000.0, MelScale::slaney) == Approx(15.0));
    REQUIRE(frontend::hzToMel(6400.0, MelScale::slaney) == Approx(42.0));
    REQUIRE(frontend::hzToMel(1000.0, MelScale::htk) == Approx(999.9855));
    for (const auto scale : {MelScale::slaney, MelScale::htk})
        for (double hz = 0.0; hz < 20000.0; hz += 37.0)
            REQUIRE(std::abs(frontend::melToHz(frontend::hzToMel(hz, scale), scale) - hz) <= 1e-8);
}

TEST_CASE("Mel filters are area-normalised triangles on either scale", "[unit]") {
    for (const auto scale : {MelScale::slaney, MelScale::htk})
        for (const int bands : {1, 40, 64, 128}) {
            LogMelSettings settings;
            settings.scale = scale;
            settings.melBands = bands;
            const auto filters = frontend::melFilterMatrix(settings);
            const auto expected = test::referenceMelFilters(settings);
            REQUIRE(filters.size() == expected.size());
            double difference = 0.0;
            for (std::size_t i = 0; i < filters.size(); ++i)
                difference = std::max(difference, std::abs(filters[i] - expected[i]));
            const double largest = std::ranges::max(expected);
            CAPTURE(bands, largest);
            REQUIRE(largest > 0.0);
            REQUIRE(difference <= 1e-6 * largest);
        }
}

TEST_CASE("Both scales differ", "[unit]") {
    LogMelSettings htk;
    htk.scale = MelScale::htk;
    REQUIRE(frontend::melFilterMatrix(htk) != frontend::melFilterMatrix(LogMelSettings{}));
}

TEST_CASE("Any matrix is applied as the matrix product: triangles, dense, with gaps, empty bands", "[unit]") {
    const int bins = 131;
    const int bands = 9;
    std::vector<float> matrix(bins * bands);
    const auto noise = test::testSignal(matrix.size(), 3);
    for (int bin = 0; bin < bins; ++bin)
        for (int band = 0; band < bands; ++band) {
            const auto i = static_cast<std::size_t>(bin * bands + band);
            const bool zero = band == 0 || (band == 1 && bin != 130) || (band == 2 && bin != 0) ||
                              (band == 3 && bin % 3 == 0) || (band == 4 && (bin < 40 || bin > 77));
            matrix[i] = zero ? 0.0f : noise[i];
        }
    const auto power = test::testSignal(static_cast<std::size_t>(bins), 4);
    std::vector<float> energies(bands, -1.0f);
    MelFilterBank(matrix, bins, bands).apply(power, energies);
    for (int band = 0; band < bands; ++band) {
        double expected = 0.0;
        for (int bin = 0; bin < bins; ++bin)
            expected += static_cast<double>(power[static_cast<std::size_t>(bin)]) *
                        matrix[static_cast<std::size_t>(bin * bands + band)];
        CAPTURE(band);
        REQUIRE(std::abs(energies[static_cast<std::size_t>(band)] - expected) <= 1e-6);
    }
    REQUIRE(energies[0] == 0.0f);
}
