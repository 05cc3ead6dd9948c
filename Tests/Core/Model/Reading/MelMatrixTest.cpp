#include "Core/Model/Reading/MelMatrix.h"

#include "Support/Catch.h"
#include "Support/ReferenceFrontend.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace earshot;
using frontend::MelScale;

namespace {

struct Bank {
    int rate, fft, bands;
    double low, high;
    MelScale scale;

    int bins() const { return fft / 2 + 1; }
    std::vector<float> matrix() const {
        const auto values = test::referenceMelFilters({.sampleRate = rate,
                                                       .fftSize = fft,
                                                       .melBands = bands,
                                                       .lowHz = low,
                                                       .highHz = high,
                                                       .scale = scale,
                                                       .filters = {}});
        return {values.begin(), values.end()};
    }
};

constexpr Bank published{32000, 1024, 64, 50.0, 14000.0, MelScale::slaney};

const std::vector<Bank> banks = {
    published,
    {16000, 1024, 64, 50.0, 14000.0, MelScale::slaney}, // Speech Commands V2: the upper bands are empty
    {48000, 1024, 64, 50.0, 14000.0, MelScale::slaney},
    {44100, 1024, 64, 50.0, 14000.0, MelScale::slaney},
    {16000, 1024, 64, 50.0, 8000.0, MelScale::slaney},
    {22050, 1024, 64, 0.0, 11025.0, MelScale::slaney},
    {32000, 512, 64, 52.0, 13987.0, MelScale::slaney},
    {16000, 400, 80, 0.0, 8000.0, MelScale::htk},
    {24000, 1024, 128, 20.0, 12000.0, MelScale::htk},
    {16000, 512, 40, 125.0, 7500.0, MelScale::htk},
    {96000, 1024, 64, 500.0, 48000.0, MelScale::slaney},
    {8000, 256, 64, 50.0, 4000.0, MelScale::slaney},
};

void requireRecovered(const Bank& bank, const std::vector<float>& matrix) {
    CAPTURE(bank.rate, bank.fft, bank.bands, bank.low, bank.high);
    const auto found = model::recoverMelSettings(matrix, bank.bins(), bank.bands);
    REQUIRE(found);
    CHECK(found->sampleRate == bank.rate);
    CHECK(found->scale == bank.scale);
    CHECK(std::abs(found->lowHz - bank.low) <= 0.01);
    CHECK(std::abs(found->highHz - bank.high) <= 1e-3 * bank.high);
}

float roundedToBFloat16(float value) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x8000u) & 0xffff0000u);
}

// Each band divided by a number of its own.
template <typename NumberOf>
std::vector<float> rescaled(const Bank& bank, NumberOf numberOf) {
    auto matrix = bank.matrix();
    const auto bands = static_cast<std::size_t>(bank.bands);
    for (std::size_t band = 0; band < bands; ++band) {
        std::vector<float> column;
        for (std::size_t i = band; i < matrix.size(); i += bands) column.push_back(matrix[i]);
        const double number = numberOf(column);
        if (number <= 0.0) continue;
        for (std::size_t i = band; i < matrix.size(); i += bands)
            matrix[i] = static_cast<float>(matrix[i] / number);
    }
    return matrix;
}

} // namespace

TEST_CASE("a mel matrix shows its sample rate, its edges and its scale", "[unit]") {
    for (const auto& bank : banks) requireRecovered(bank, bank.matrix());
    // No usual rate
    for (const int rate : {31999, 15000, 37123}) {
        auto bank = published;
        bank.rate = rate;
        requireRecovered(bank, bank.matrix());
    }
}

TEST_CASE("a mel matrix in half precision shows the same", "[unit]") {
    for (const auto& bank : banks) {
        auto matrix = bank.matrix();
        std::ranges::transform(matrix, matrix.begin(), roundedToBFloat16);
        requireRecovered(bank, matrix);
    }
}

TEST_CASE("bands that are not normalised by area show the usual rates", "[unit]") {
    for (const auto& bank : banks) {
        requireRecovered(bank, rescaled(bank, [](const std::vector<float>& column) {
                             double sum = 0.0; // torch: each band's weights sum to 1
                             for (const float weight : column) sum += weight;
                             return sum;
                         }));
        requireRecovered(bank, rescaled(bank, [](const std::vector<float>& column) {
                             return static_cast<double>(*std::ranges::max_element(column));
                         }));
    }
}

TEST_CASE("what is no bank of mel triangles shows nothing", "[unit]") {
    const auto nothing = [](const std::vector<float>& matrix, int bins, int bands) {
        return !model::recoverMelSettings(matrix, bins, bands);
    };
    auto matrix = published.matrix();
    const auto damaged = [&](float value) {
        auto copy = matrix;
        copy[300 * 64 + 50] = value;
        return copy;
    };
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                              -1.0f, 3e38f, 0.5f})
        CHECK(nothing(damaged(value), 513, 64));
    CHECK(nothing(std::vector<float>(513 * 64, 0.0f), 513, 64));
    CHECK(nothing(std::vector<float>(513 * 64, 1.0f), 513, 64));
    CHECK(nothing({1.0f}, 1, 1));
    CHECK(nothing({}, 0, 0));
    std::ranges::reverse(matrix);
    CHECK(nothing(matrix, 513, 64));
    // Triangles equally spaced in Hz: below 1 kHz Slaney's scale is linear at any rate.
    const Bank low{4000, 1024, 16, 0.0, 900.0, MelScale::slaney};
    CHECK(nothing(rescaled(low, [](const auto& column) { return *std::ranges::max_element(column); }),
                  low.bins(), low.bands));
}

TEST_CASE("a stranger's matrix is judged in bounded time, whatever it holds", "[unit]") {
    std::mt19937 random(7);
    for (int run = 0; run < 3000; ++run) {
        const int bins = 2 + static_cast<int>(random() % 60), bands = 1 + static_cast<int>(random() % 12);
        std::vector<float> matrix(static_cast<std::size_t>(bins * bands));
        for (float& value : matrix) {
            switch (random() % 5) {
            case 0:
                value = 0.0f;
                break;
            case 1:
                value = 1e-42f * static_cast<float>(random() % 100);
                break;
            case 2:
                value = std::numeric_limits<float>::max();
                break;
            default:
                value = static_cast<float>(random() % 1000) / 1000.0f;
            }
        }
        const auto found = model::recoverMelSettings(matrix, bins, bands);
        if (found) {
            CHECK(found->sampleRate >= 1000);
            CHECK(found->sampleRate <= 768000);
            CHECK(found->lowHz < found->highHz);
        }
    }
    // A true matrix with changes
    for (int run = 0; run < 300; ++run) {
        auto matrix = published.matrix();
        for (int change = 0; change < 1 + run % 5; ++change)
            matrix[random() % matrix.size()] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        const auto found = model::recoverMelSettings(matrix, 513, 64);
        if (found) CHECK(found->sampleRate == 32000);
    }
}
