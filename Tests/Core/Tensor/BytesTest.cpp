#include "Core/Tensor/Bytes.h"

#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Tensor.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ReferenceNetwork.h"
#include "Support/Skip.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace earshot;
using tensor::ByteScale;
using tensor::Epilogue;
using test::randomValues;
using test::widened;

namespace {

std::uint8_t byteOf(float value, const ByteScale& scale) {
    return static_cast<std::uint8_t>(
        std::clamp(std::nearbyint((value - scale.low) / scale.step), 0.0f, 255.0f));
}

std::vector<ByteScale> someScales(std::size_t count) {
    std::vector<ByteScale> scales;
    for (std::size_t c = 0; c < count; ++c)
        scales.push_back(ByteScale::over(-1.0f - 0.1f * static_cast<float>(c % 7),
                                         0.5f + 0.2f * static_cast<float>(c % 5)));
    return scales;
}

// What a byte layer multiplies, as numbers.
struct ByteLayer {
    std::size_t rows, inputs, outputs;
    Epilogue epilogue;
    std::vector<float> weights = randomValues(inputs * outputs, 1), bias = randomValues(outputs, 2);
    std::vector<ByteScale> scales = someScales(inputs);
    std::vector<std::uint8_t> bytes = {};
    std::vector<float> x = {}; // what the bytes stand for

    void makeInput() {
        const auto values = randomValues(rows * inputs, 3, -1.5f, 1.2f);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto& scale = scales[i % inputs];
            bytes.push_back(byteOf(values[i], scale));
            x.push_back(scale.low + scale.step * static_cast<float>(bytes.back()));
        }
    }

    test::Values expected(const std::vector<float>& before) const {
        // The weights as bytes have them.
        const auto rounded = tensor::byteWeights(weights, bias, scales);
        std::vector<float> w;
        for (std::size_t i = 0; i < weights.size(); ++i)
            w.push_back(static_cast<float>(rounded.weights[i]) * rounded.scales[i / inputs] /
                        scales[i % inputs].step);
        auto y = test::referenceLinear(widened(x), widened(w), widened(bias), inputs);
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (epilogue == Epilogue::gelu) y[i] = test::referenceGelu(y[i]);
            if (epilogue == Epilogue::add) y[i] += before[i];
        }
        return y;
    }
};

} // namespace

TEST_CASE("weights as bytes are within half a step of what they were", "[unit]") {
    const auto weights = randomValues(5 * 9, 1), bias = randomValues(5, 2);
    const auto scales = someScales(9);
    const auto bytes = tensor::byteWeights(weights, bias, scales);
    REQUIRE(bytes.weights.size() == weights.size());
    for (std::size_t row = 0; row < 5; ++row) {
        int largest = 0;
        for (std::size_t c = 0; c < 9; ++c) {
            const auto byte = bytes.weights[row * 9 + c];
            largest = std::max(largest, std::abs(static_cast<int>(byte)));
            CHECK(std::abs(static_cast<float>(byte) * bytes.scales[row] -
                           weights[row * 9 + c] * scales[c].step) <= 0.501f * bytes.scales[row]);
        }
        CHECK(largest == 127); // the whole range is used
    }
    const auto none = tensor::byteWeights(std::vector<float>(6), {}, someScales(3));
    CHECK(std::ranges::all_of(none.scales, [](float s) { return s > 0.0f && std::isfinite(s); }));
    CHECK(ByteScale::over(2.0f, 2.0f).step > 0.0f);
}

TEST_CASE("a linear layer of bytes agrees with the plain loop", "[unit]") {
    if (!tensor::hasFastBytes()) return test::skip("this CPU does not multiply bytes");
    tensor::setThreadCount(1);
    for (const auto epilogue : {Epilogue::none, Epilogue::gelu, Epilogue::add})
        for (const auto& [rows, inputs, outputs] :
             {std::array<std::size_t, 3>{1, 1, 1}, {64, 96, 288}, {33, 50, 7}, {129, 16, 96}}) {
            INFO(rows << " x " << inputs << " -> " << outputs << ", epilogue " << static_cast<int>(epilogue));
            ByteLayer layer{rows, inputs, outputs, epilogue};
            layer.makeInput();
            const auto before = randomValues(rows * outputs, 4);
            const auto expected = layer.expected(before);
            const auto run = [&](const std::optional<ByteScale>& result, void* y) {
                const tensor::Linear linear(static_cast<std::int64_t>(rows),
                                            static_cast<std::int64_t>(outputs), layer.weights, layer.bias,
                                            epilogue, layer.scales, result);
                CHECK(linear.numbers().operands == tensor::Number::uint8);
                tensor::Tensor scratch(
                    {static_cast<std::int64_t>(linear.scratchBytes() / sizeof(float)) + 1});
                tensor::LinearCall call(linear, layer.bytes.data(), y, scratch.data());
                call.run();
            };
            auto y = before;
            run({}, y.data());
            REQUIRE(test::maxDifference(y, expected) <= 2e-5 * std::sqrt(static_cast<double>(inputs)));
            if (epilogue == Epilogue::add) continue;
            const auto scale = ByteScale::over(-0.17f, 3.0f);
            std::vector<std::uint8_t> bytes(rows * outputs);
            run(scale, bytes.data());
            int wrong = 0; // by more than the rounding of a value just between two bytes
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                const double exact = std::clamp((expected[i] - static_cast<double>(scale.low)) /
                                                    static_cast<double>(scale.step),
                                                0.0, 255.0);
                if (!(std::abs(static_cast<double>(bytes[i]) - exact) <= 0.51)) ++wrong;
            }
            REQUIRE(wrong == 0);
        }
}

TEST_CASE("every set of byte kernels rounds to nearest and cuts what lies outside", "[unit]") {
    for (const auto& set : tensor::availableByteKernels())
        for (const std::size_t count : {1u, 5u, 16u, 33u, 200u}) {
            INFO(set.name << ", " << count);
            auto x = randomValues(count, 1, -2.0f, 3.0f);
            x.front() = 1e30f;
            if (count > 4) {
                x[1] = -1e30f;
                x[2] = std::numeric_limits<float>::infinity();
                x[3] = std::numeric_limits<float>::quiet_NaN();
            }
            std::vector<std::uint8_t> y(count + 8, 77);
            set.round(x.data(), y.data(), static_cast<std::int64_t>(count), 60.0f, 110.0f);
            for (std::size_t i = 0; i < count; ++i) {
                if (std::isnan(x[i])) continue;
                const double exact = std::clamp(static_cast<double>(x[i]) * 60.0 + 110.0, 0.0, 255.0);
                CHECK(std::abs(static_cast<double>(y[i]) - exact) <= 0.5001);
            }
            CHECK(std::all_of(y.end() - 8, y.end(), [](std::uint8_t v) { return v == 77; }));
        }
}

TEST_CASE("every set of byte kernels normalises as the plain loop does", "[unit]") {
    for (const auto& set : tensor::availableByteKernels())
        for (const std::size_t channels : {5u, 24u, 96u, 100u}) {
            INFO(set.name << ", " << channels);
            const std::size_t rows = 7;
            const auto x = randomValues(rows * channels, 1, -2.0f, 3.0f);
            const auto gain = randomValues(channels, 2, 20.0f, 60.0f),
                       bias = randomValues(channels, 3, 100.0f, 150.0f);
            std::vector<std::uint8_t> y(rows * channels);
            set.layerNorm(x.data(), y.data(), rows, static_cast<std::int64_t>(channels), gain.data(),
                          bias.data(), 1e-5f);
            const auto expected = test::referenceLayerNorm(widened(x), widened(gain), widened(bias));
            for (std::size_t i = 0; i < y.size(); ++i)
                CHECK(std::abs(static_cast<double>(y[i]) - std::clamp(expected[i], 0.0, 255.0)) <= 0.501);
        }
}
