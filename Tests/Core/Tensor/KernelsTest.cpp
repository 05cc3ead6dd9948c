#include "Core/Tensor/Kernels.h"

#include "Core/Tensor/ValueTools.h"
#include "Support/Catch.h"
#include "Support/ReferenceGradients.h"

#include <bit>
#include <limits>
#include <numeric>

using namespace earshot;
using namespace earshot::test;
using tensor::BFloat16;

namespace {

constexpr std::size_t counts[] = {0, 1, 2, 5, 11};
constexpr std::size_t widths[] = {1, 3, 7, 8, 16, 24, 31, 48, 100, 384};

// Rows of a matrix of `count` + 2 in any order, or none: the identity.
struct Permutation {
    std::vector<std::int32_t> order;
    bool given;

    Permutation(std::size_t count, bool permuted)
        : order(count + 2)
        , given(permuted) {
        std::iota(order.begin(), order.end(), 0);
        if (permuted) std::shuffle(order.begin(), order.end(), std::mt19937(7));
    }
    const std::int32_t* rows() const { return given ? order.data() : nullptr; }
    std::size_t row(std::size_t i) const { return static_cast<std::size_t>(order[i]); }
    std::size_t total() const { return order.size(); }
};

// body(set, count, channels, permutation) for all of them.
template <typename Value, typename Body>
void forAllShapes(Body body) {
    for (const auto& set : tensor::availableKernels<Value>())
        for (const auto count : counts)
            for (const auto channels : widths)
                for (const bool permuted : {false, true}) {
                    INFO(set.name << ": " << count << " rows of " << channels
                                  << (permuted ? ", permuted" : ""));
                    body(set, count, channels, Permutation(count, permuted));
                }
}

template <typename T>
std::vector<T> row(const std::vector<T>& matrix, std::size_t channels, std::size_t index) {
    const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(index * channels);
    return {first, first + static_cast<std::ptrdiff_t>(channels)};
}

} // namespace

TEMPLATE_TEST_CASE("every kernel set normalises rows like the plain loop", "[unit][kernels]", float,
                   BFloat16) {
    forAllShapes<TestType>(
        [](const auto& set, std::size_t count, std::size_t channels, const Permutation& p) {
            const auto x = randomValues(p.total() * channels, 1, -4.0f, 9.0f);
            const auto gain = randomValues(channels, 2), bias = randomValues(channels, 3);
            std::vector<TestType> y(count * channels);
            std::vector<float> statistics(2 * count);
            set.layerNorm(x.data(), p.rows(), y.data(), statistics.data(), static_cast<std::int64_t>(count),
                          static_cast<std::int64_t>(channels), gain.data(), bias.data(), 1e-5f);
            Values expected;
            for (std::size_t i = 0; i < count; ++i) {
                const auto source = widened(row(x, channels, p.row(i)));
                const auto normal = referenceLayerNorm(source, widened(gain), widened(bias));
                expected.insert(expected.end(), normal.begin(), normal.end());
                const double mean =
                    std::accumulate(source.begin(), source.end(), 0.0) / static_cast<double>(channels);
                REQUIRE(std::abs(statistics[2 * i] - mean) <= 5e-6);
            }
            REQUIRE(near(y, expected, 1e-5));
        });
}

TEST_CASE("every kernel set normalises rows in place too", "[unit][kernels]") {
    forAllShapes<float>([](const auto& set, std::size_t count, std::size_t channels, const Permutation& p) {
        if (p.rows() != nullptr) return;
        auto x = randomValues(count * channels, 1, -4.0f, 9.0f);
        const auto gain = randomValues(channels, 2), bias = randomValues(channels, 3);
        std::vector<float> y(x.size());
        const auto rows = static_cast<std::int64_t>(count), width = static_cast<std::int64_t>(channels);
        set.layerNorm(x.data(), nullptr, y.data(), nullptr, rows, width, gain.data(), bias.data(), 1e-5f);
        set.layerNorm(x.data(), nullptr, x.data(), nullptr, rows, width, gain.data(), bias.data(), 1e-5f);
        REQUIRE(x == y);
    });
}

TEMPLATE_TEST_CASE("every kernel set has the gradient of the norm", "[unit][kernels]", float, BFloat16) {
    forAllShapes<TestType>(
        [](const auto& set, std::size_t count, std::size_t channels, const Permutation& p) {
            const auto x = randomValues(p.total() * channels, 1, -4.0f, 9.0f);
            const auto gain = randomValues(channels, 2);
            const auto dy = randomOf<TestType>(count * channels, 4);
            std::vector<float> statistics(2 * count), bias(channels);
            std::vector<TestType> y(count * channels);
            const auto rows = static_cast<std::int64_t>(count), width = static_cast<std::int64_t>(channels);
            set.layerNorm(x.data(), p.rows(), y.data(), statistics.data(), rows, width, gain.data(),
                          bias.data(), 1e-5f);

            auto dx = randomValues(x.size(), 5);
            auto gainGradient = randomValues(channels, 6), biasGradient = randomValues(channels, 7);
            auto expected = widened(dx), expectedGain = widened(gainGradient),
                 expectedBias = widened(biasGradient);
            set.layerNormBackward(x.data(), p.rows(), statistics.data(), dy.data(), dx.data(), rows, width,
                                  gain.data(), gainGradient.data(), biasGradient.data());
            for (std::size_t i = 0; i < count; ++i) {
                const auto g = referenceLayerNormBackward(widened(row(x, channels, p.row(i))), widened(gain),
                                                          row(doubles(dy), channels, i));
                for (std::size_t c = 0; c < channels; ++c) {
                    expected[p.row(i) * channels + c] += g.x[c];
                    expectedGain[c] += g.gain[c];
                    expectedBias[c] += g.bias[c];
                }
            }
            // One channel alone has no variance, and its gradient is a difference of large numbers.
            REQUIRE(near(dx, expected, channels < 8 ? 1e-3 : 1e-5));
            REQUIRE(near(gainGradient, expectedGain, 2e-5));
            REQUIRE(near(biasGradient, expectedBias, 2e-5));
        });
}

TEST_CASE("gelu is exact to a few units of float32, everywhere", "[unit][kernels]") {
    std::vector<float> x;
    for (int i = -120000; i <= 120000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
    for (const float large : {13.0f, 40.0f, 1e3f, 1e10f, 3e38f, 1e-20f, 1e-38f})
        for (const float sign : {-1.0f, 1.0f}) x.push_back(sign * large);
    const auto n = static_cast<std::int64_t>(x.size());
    for (const auto& set : tensor::availableKernels<float>()) {
        std::vector<float> y(x.size()), dy(x.size(), 1.0f);
        set.gelu(x.data(), y.data(), n);
        set.geluBackward(x.data(), dy.data(), n);
        double worst = 0.0, worstSlope = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double v = x[i], expected = 0.5 * std::erfc(-v / std::sqrt(2.0));
            const double error = v == 0.0 ? std::abs(y[i]) : std::abs(y[i] / v - expected);
            REQUIRE(error < 1.0); // no NaN
            worst = std::max(worst, error);
            const double slopeError = std::abs(dy[i] - referenceGeluSlope(v));
            REQUIRE(slopeError < 1.0);
            worstSlope = std::max(worstSlope, slopeError);
        }
        INFO(set.name << ": Phi to " << worst << ", slope to " << worstSlope);
        REQUIRE(worst <= 1.5e-7);
        REQUIRE(worstSlope <= 2.5e-7);
    }
}

TEMPLATE_TEST_CASE("every kernel set has gelu and its slope for any count", "[unit][kernels]", float,
                   BFloat16) {
    for (const auto& set : tensor::availableKernels<TestType>())
        for (const std::size_t n : {0u, 1u, 3u, 15u, 16u, 17u, 64u, 1003u}) {
            const auto x = randomOf<TestType>(n, 8, -6.0f, 6.0f);
            auto dy = randomOf<TestType>(n, 9);
            Values expected, slopes;
            for (std::size_t i = 0; i < n; ++i) {
                expected.push_back(referenceGelu(doubles(x)[i]));
                slopes.push_back(referenceGeluSlope(doubles(x)[i]) * doubles(dy)[i]);
            }
            std::vector<TestType> y(n);
            set.gelu(x.data(), y.data(), static_cast<std::int64_t>(n));
            set.geluBackward(x.data(), dy.data(), static_cast<std::int64_t>(n));
            INFO(set.name << ", " << n << " values");
            const double tolerance = std::is_same_v<TestType, float> ? 1e-6 : 3e-5;
            REQUIRE(near(y, expected, tolerance));
            REQUIRE(near(dy, slopes, tolerance));
        }
}

TEMPLATE_TEST_CASE("every kernel set brings rows to one length like the plain loop", "[unit][kernels]", float,
                   BFloat16) {
    forAllShapes<TestType>(
        [](const auto& set, std::size_t count, std::size_t channels, const Permutation& p) {
            const std::size_t stride = 3 * channels; // what lies between the rows stays as it is
            auto x = randomOf<TestType>(p.total() * stride, 10);
            std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(p.row(0) * stride), channels, TestType{});
            auto expected = doubles(x);
            Values factors;
            for (std::size_t i = 0; i < count; ++i) {
                double* const row = expected.data() + p.row(i) * stride;
                const double length = std::sqrt(std::inner_product(row, row + channels, row, 0.0));
                for (std::size_t c = 0; c < channels; ++c) row[c] *= 2.5 / std::max(length, 1e-12);
                factors.push_back(length < 1e-12 ? 0.0 : 2.5 / length);
            }
            std::vector<float> found(count);
            auto plain = x;
            set.normaliseRows(x.data(), p.rows(), 2.5f, found.data(), static_cast<std::int64_t>(count),
                              static_cast<std::int64_t>(stride), static_cast<std::int64_t>(channels));
            REQUIRE(near(x, expected, 1e-6));
            REQUIRE(near(found, factors, 1e-6));
            set.normaliseRows(plain.data(), p.rows(), 2.5f, nullptr, static_cast<std::int64_t>(count),
                              static_cast<std::int64_t>(stride), static_cast<std::int64_t>(channels));
            REQUIRE(doubles(plain) == doubles(x));
        });
}

TEMPLATE_TEST_CASE("every kernel set has the slope of rows that were brought to one length",
                   "[unit][kernels]", float, BFloat16) {
    constexpr float scale = 2.5f;
    for (const auto& set : tensor::availableKernels<TestType>())
        for (const std::size_t channels : {1u, 5u, 16u, 24u, 33u}) {
            constexpr std::size_t count = 5;
            const std::size_t stride = 3 * channels;
            const auto y = randomOf<TestType>(count * stride, 10);
            auto dy = randomOf<TestType>(count * stride, 11);
            const auto factors = randomValues(count, 12, 0.0f, 3.0f);
            auto expected = doubles(dy);
            double slope = 0.0;
            for (std::size_t i = 0; i < count; ++i) {
                const auto exact = doubles(y);
                const double* const row = exact.data() + i * stride;
                double* const gradient = expected.data() + i * stride;
                const double along = std::inner_product(row, row + channels, gradient, 0.0);
                slope += along;
                for (std::size_t c = 0; c < channels; ++c)
                    gradient[c] = (gradient[c] - row[c] * along / (scale * scale)) * factors[i];
            }
            const double found = set.normaliseRowsBackward(
                y.data(), dy.data(), scale, factors.data(), static_cast<std::int64_t>(count),
                static_cast<std::int64_t>(stride), static_cast<std::int64_t>(channels));
            INFO(set.name << ", " << channels << " channels");
            REQUIRE(near(dy, expected, 2e-6));
            REQUIRE(std::abs(found - slope) <= 1e-5);
        }
}

TEMPLATE_TEST_CASE("every kernel set moves and adds rows like the plain loop", "[unit][kernels]", float,
                   BFloat16) {
    forAllShapes<TestType>(
        [](const auto& set, std::size_t count, std::size_t channels, const Permutation& p) {
            const auto rows = static_cast<std::int64_t>(count), width = static_cast<std::int64_t>(channels);
            auto x = randomValues(p.total() * channels, 10);
            const auto y = randomOf<TestType>(count * channels, 11);
            auto expected = widened(x);
            Values gathered, sums(channels), values = doubles(y);
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t c = 0; c < channels; ++c) {
                    const double value = values[i * channels + c];
                    expected[p.row(i) * channels + c] += 0.75 * value;
                    gathered.push_back(1.5 * static_cast<double>(x[p.row(i) * channels + c]));
                    sums[c] += value;
                }
            std::vector<TestType> copy(count * channels);
            set.gather(x.data(), p.rows(), copy.data(), 1.5f, rows, width);
            REQUIRE(near(copy, gathered, 1e-7));
            set.scatterAdd(x.data(), p.rows(), y.data(), 0.75f, rows, width);
            REQUIRE(near(x, expected, 1e-6));

            auto total = randomValues(channels, 12);
            for (std::size_t c = 0; c < channels; ++c) sums[c] += static_cast<double>(total[c]);
            set.addColumnSums(y.data(), total.data(), rows, width);
            REQUIRE(near(total, sums, 1e-5));
        });
}

TEST_CASE("every kernel set rounds to bfloat16 to nearest even", "[unit][kernels]") {
    std::mt19937 generator(13);
    std::vector<float> x;
    for (int i = 0; i < 100003; ++i) {
        auto bits = static_cast<std::uint32_t>(generator());
        if (i % 4 == 0) bits = (bits & 0xffff0000u) | 0x8000u; // ties
        const float value = std::bit_cast<float>(bits);
        // Instructions of AVX512-BF16 take denormal numbers for 0.
        if (!(std::abs(value) < std::numeric_limits<float>::min())) x.push_back(value);
    }
    for (const float special :
         {0.0f, -0.0f, std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::quiet_NaN()})
        x.push_back(special);
    const auto n = static_cast<std::int64_t>(x.size());
    const auto agree = [&](const std::vector<BFloat16>& y) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const bool same =
                std::isnan(x[i]) ? std::isnan(static_cast<float>(y[i])) : y[i].bits == BFloat16(x[i]).bits;
            if (!same) return false;
        }
        return true;
    };
    std::vector<BFloat16> y(x.size());
    for (const auto& set : tensor::availableKernels<BFloat16>()) {
        std::fill(y.begin(), y.end(), BFloat16());
        set.gather(x.data(), nullptr, y.data(), 1.0f, 1, n);
        INFO(set.name);
        REQUIRE(agree(y));
    }
    std::fill(y.begin(), y.end(), BFloat16());
    tensor::optimiserKernels().roundToBFloat16(x.data(), y.data(), n);
    REQUIRE(agree(y));
}

TEMPLATE_TEST_CASE("a NaN stays one through every kernel set", "[unit][kernels]", float, BFloat16) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& set : tensor::availableKernels<TestType>())
        for (std::size_t at = 0; at < 19; ++at) {
            auto x = randomValues(19, 14);
            x[at] = nan;
            const auto values = rounded<TestType>(x);
            const std::vector<float> gain(19, 1.0f), bias(19);
            std::vector<float> statistics(2);
            std::vector<TestType> y(19), dy(19, TestType(1.0f));
            INFO(set.name << ", value " << at);
            set.layerNorm(x.data(), nullptr, y.data(), statistics.data(), 1, 19, gain.data(), bias.data(),
                          1e-5f);
            for (const auto v : doubles(y)) REQUIRE(std::isnan(v));
            set.gelu(values.data(), y.data(), 19);
            set.geluBackward(values.data(), dy.data(), 19);
            for (std::size_t i = 0; i < 19; ++i) {
                REQUIRE(std::isnan(doubles(y)[i]) == (i == at));
                REQUIRE(std::isnan(doubles(dy)[i]) == (i == at));
            }
        }
}

TEST_CASE("the optimiser's step is AdamW's", "[unit][kernels]") {
    const auto& kernels = tensor::optimiserKernels();
    const tensor::AdamStep step{1e-2f, 0.05f, 0.9f, 0.99f, 5.0f, 20.0f, 1e-6f, 0.5f, 0.1f};
    for (const std::size_t n : {0u, 1u, 7u, 16u, 1001u}) {
        const auto gradient = randomValues(n, 15, -3.0f, 3.0f);
        auto value = randomValues(n, 16), moment1 = randomValues(n, 17), average = randomValues(n, 18);
        auto moment2 = randomValues(n, 19, 0.0f, 1.0f);
        Values values, firsts, seconds, averages;
        for (std::size_t i = 0; i < n; ++i) {
            const double g = 0.5 * static_cast<double>(gradient[i]);
            const double m1 = 0.9 * static_cast<double>(moment1[i]) + 0.1 * g;
            const double m2 = 0.99 * static_cast<double>(moment2[i]) + 0.01 * g * g;
            const double old = value[i], mean = average[i];
            const double changed = old - 1e-2 * (5.0 * m1 / (std::sqrt(20.0 * m2) + 1e-6) + 0.05 * old);
            firsts.push_back(m1);
            seconds.push_back(m2);
            values.push_back(changed);
            averages.push_back(mean + 0.1 * (changed - mean));
        }
        kernels.adamW(step, gradient.data(), value.data(), moment1.data(), moment2.data(), average.data(),
                      static_cast<std::int64_t>(n));
        INFO(n << " values");
        REQUIRE(near(value, values, 1e-6));
        REQUIRE(near(moment1, firsts, 1e-6));
        REQUIRE(near(moment2, seconds, 1e-6));
        REQUIRE(near(average, averages, 1e-6));
    }
}

TEST_CASE("the norm of gradients neither overflows nor hides a NaN", "[unit][kernels]") {
    const auto& kernels = tensor::optimiserKernels();
    for (const std::size_t n : {0u, 1u, 17u, 4099u}) {
        const auto x = randomValues(n, 20, -1e30f, 1e30f);
        const double expected = dot(widened(x), widened(x));
        const double sum = kernels.sumOfSquares(x.data(), static_cast<std::int64_t>(n));
        REQUIRE(std::abs(sum - expected) <= 1e-12 * expected);
    }
    for (std::size_t at = 0; at < 35; ++at) {
        auto x = randomValues(35, 21);
        x[at] = std::numeric_limits<float>::quiet_NaN();
        REQUIRE(std::isnan(kernels.sumOfSquares(x.data(), 35)));
    }
}
