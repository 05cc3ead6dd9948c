#include "Core/Tensor/Primitives.h"

#include "Core/Tensor/BFloat16.h"
#include "Core/Tensor/Tensor.h"
#include "Core/Tensor/Threads.h"
#include "Core/Tensor/ValueTools.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ReferenceNetwork.h"
#include "Support/Skip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <thread>
#include <tuple>

using namespace earshot;
using tensor::Epilogue;
using test::randomValues;
using test::widened;

namespace {

struct Layer {
    std::size_t rows, inputs, outputs;
    bool hasBias;
    Epilogue epilogue;
    std::vector<float> weights = randomValues(inputs * outputs, 1);
    std::vector<float> bias = hasBias ? randomValues(outputs, 2) : std::vector<float>();

    tensor::Linear build() const {
        return {static_cast<std::int64_t>(rows),
                static_cast<std::int64_t>(inputs),
                static_cast<std::int64_t>(outputs),
                weights,
                bias,
                epilogue};
    }

    test::Values expected(const std::vector<float>& x, const std::vector<float>& before) const {
        auto y = test::referenceLinear(widened(x), widened(weights), widened(bias), inputs);
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (epilogue == Epilogue::gelu) y[i] = test::referenceGelu(y[i]);
            if (epilogue == Epilogue::add) y[i] += before[i];
        }
        return y;
    }
};

tensor::Tensor copied(const std::vector<float>& values) {
    tensor::Tensor t({static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), t.data());
    return t;
}

double worstDifference(const Layer& layer, const tensor::Linear& linear, unsigned seed) {
    const auto x = randomValues(layer.rows * layer.inputs, seed);
    const auto before = randomValues(layer.rows * layer.outputs, seed + 1);
    auto input = copied(x), output = copied(before);
    tensor::Tensor scratch({static_cast<std::int64_t>(linear.scratchBytes() / sizeof(float)) + 1});
    tensor::LinearCall call(linear, input.data(), output.data(), scratch.data());
    call.run();
    return test::maxDifference(output.values(), layer.expected(x, before)) /
           std::sqrt(static_cast<double>(layer.inputs));
}

} // namespace

TEST_CASE("a linear layer agrees with the plain loop", "[unit]") {
    tensor::setThreadCount(1);
    for (const auto epilogue : {Epilogue::none, Epilogue::gelu, Epilogue::add})
        for (const bool bias : {false, true})
            for (const auto [rows, inputs, outputs] : {std::array<std::size_t, 3>{1, 1, 1},
                                                       {1, 768, 527},
                                                       {64, 96, 288},
                                                       {33, 50, 7},
                                                       {129, 16, 96}}) {
                const Layer layer{rows, inputs, outputs, bias, epilogue};
                INFO(rows << " x " << inputs << " -> " << outputs << ", epilogue "
                          << static_cast<int>(epilogue));
                REQUIRE(worstDifference(layer, layer.build(), 3) <= 1e-6);
            }
}

// Whatever is rounded is rounded as the layer does it; what is left is the order of float32 sums.
TEST_CASE("a linear layer in bfloat16 agrees with the plain loop", "[unit]") {
    if (!tensor::hasFastBFloat16()) return test::skip("this CPU does not multiply bfloat16");
    tensor::setThreadCount(1);
    const auto result = GENERATE(tensor::Number::float32, tensor::Number::bfloat16);
    for (const auto epilogue : {Epilogue::none, Epilogue::gelu, Epilogue::add})
        for (const auto [rows, inputs, outputs] :
             {std::array<std::size_t, 3>{1, 1, 1}, {64, 96, 288}, {33, 50, 7}, {129, 16, 96}}) {
            if (epilogue == Epilogue::add && result == tensor::Number::bfloat16) continue;
            INFO(rows << " x " << inputs << " -> " << outputs << ", epilogue " << static_cast<int>(epilogue));
            Layer layer{rows, inputs, outputs, true, epilogue};
            const tensor::Linear linear(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(inputs),
                                        static_cast<std::int64_t>(outputs), layer.weights, layer.bias,
                                        epilogue, {tensor::Number::bfloat16, result});
            if (inputs >= 50) REQUIRE(linear.memoryBytes() < layer.build().memoryBytes());
            layer.weights = test::widenedFloats(test::rounded<tensor::BFloat16>(layer.weights));
            auto x = test::randomOf<tensor::BFloat16>(rows * inputs, 3);
            const auto before = randomValues(rows * outputs, 4);
            auto output = copied(before);
            tensor::Tensor scratch({static_cast<std::int64_t>(linear.scratchBytes() / sizeof(float)) + 1});
            tensor::LinearCall call(linear, x.data(), output.data(), scratch.data());
            call.run();
            const auto expected = layer.expected(test::widenedFloats(x), before);
            if (result == tensor::Number::float32) {
                REQUIRE(test::maxDifference(output.values(), expected) <=
                        1e-6 * std::sqrt(static_cast<double>(inputs)));
            } else {
                const auto* first = reinterpret_cast<const tensor::BFloat16*>(output.data());
                REQUIRE(test::near(std::vector(first, first + rows * outputs), expected, 1e-5));
            }
        }
}

TEST_CASE("adding accumulates run by run", "[unit]") {
    tensor::setThreadCount(1);
    const Layer layer{4, 8, 8, true, Epilogue::add};
    const auto linear = layer.build();
    const auto x = randomValues(32, 3);
    auto input = copied(x);
    tensor::Tensor output({4, 8}),
        scratch({static_cast<std::int64_t>(linear.scratchBytes() / sizeof(float)) + 1});
    tensor::LinearCall call(linear, input.data(), output.data(), scratch.data());
    call.run();
    const std::vector<float> once(output.values().begin(), output.values().end());
    call.run();
    REQUIRE(test::maxDifference(output.values(), layer.expected(x, once)) <= 1e-5);
}

TEST_CASE("threads share one layer", "[unit][threads]") {
    const Layer layer{64, 96, 96, true, Epilogue::gelu};
    const auto linear = layer.build();
    double worst[2] = {1.0, 1.0};
    std::thread other([&] {
        tensor::setThreadCount(1);
        worst[1] = worstDifference(layer, linear, 20);
    });
    tensor::setThreadCount(1);
    worst[0] = worstDifference(layer, linear, 10);
    other.join();
    REQUIRE(worst[0] <= 1e-6);
    REQUIRE(worst[1] <= 1e-6);
}

namespace {

// The values of a matrix as a product reads them.
std::vector<tensor::BFloat16> roundedValues(const std::vector<float>& values) {
    std::vector<tensor::BFloat16> rounded;
    for (const float v : values) rounded.emplace_back(v);
    return rounded;
}

} // namespace

TEST_CASE("a layer runs on no more threads than it is given", "[unit][kernels][threads]") {
    const std::filesystem::path tasks = "/proc/self/task";
    if (!std::filesystem::exists(tasks)) return test::skip("this system does not tell a process its threads");
    const auto threadsNow = [&] {
        return std::distance(std::filesystem::directory_iterator(tasks),
                             std::filesystem::directory_iterator());
    };
    const Layer layer{512, 48, 192, true, GENERATE(Epilogue::none, Epilogue::add)};
    const auto linear = layer.build();
    std::ptrdiff_t before = 0, after = -1;
    // A thread of its own has no team from earlier tests.
    std::thread([&] {
        const tensor::ThreadCountScope one(1);
        before = threadsNow();
        worstDifference(layer, linear, 3);
        after = threadsNow();
    }).join();
    REQUIRE(after == before);
}

TEST_CASE("a layer gives the same on any number of threads, changing as it goes",
          "[unit][kernels][threads]") {
    const Layer layer{512, 48, 192, true, GENERATE(Epilogue::none, Epilogue::gelu, Epilogue::add)};
    const auto linear = layer.build();
    for (const int threads : {1, 3, 1, 2, 64, 1}) {
        const tensor::ThreadCountScope some(threads);
        REQUIRE(worstDifference(layer, linear, 3) <= 1e-6);
    }
}

TEST_CASE("products of plain matrices agree with plain loops, in every order and arithmetic", "[unit]") {
    tensor::setThreadCount(1);
    const bool left = GENERATE(false, true), right = GENERATE(false, true);
    const bool bias = GENERATE(false, true), accumulate = GENERATE(false, true);
    const auto best = tensor::hasFastBFloat16() ? tensor::Number::bfloat16 : tensor::Number::float32;
    const auto number = GENERATE_COPY(tensor::Number::float32, best);
    const auto [rows, inner, columns] =
        GENERATE(std::tuple{1, 1, 1}, std::tuple{7, 33, 5}, std::tuple{64, 24, 50});
    CAPTURE(left, right, bias, accumulate, rows, inner, columns);
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); };
    auto a = test::randomValues(size(rows, inner), 1), b = test::randomValues(size(inner, columns), 2);
    const auto shift = test::randomValues(size(1, columns), 3),
               before = test::randomValues(size(rows, columns), 4);
    const auto roundedA = roundedValues(a), roundedB = roundedValues(b);
    const bool isRounded = number == tensor::Number::bfloat16;
    if (isRounded) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(roundedA[i]);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(roundedB[i]);
    }

    tensor::Product product({.rows = rows,
                             .inner = inner,
                             .columns = columns,
                             .transposeLeft = left,
                             .transposeRight = right,
                             .operands = number,
                             .bias = bias,
                             .accumulate = accumulate});
    auto result = before;
    product.run(isRounded ? static_cast<const void*>(roundedA.data()) : a.data(),
                isRounded ? static_cast<const void*>(roundedB.data()) : b.data(), result.data(),
                bias ? shift.data() : nullptr);

    std::vector<double> expected;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            double sum = accumulate
                             ? static_cast<double>(before[size(i, columns) + static_cast<std::size_t>(j)])
                             : 0.0;
            if (bias) sum += static_cast<double>(shift[static_cast<std::size_t>(j)]);
            for (int k = 0; k < inner; ++k) {
                const int atA = left ? k * rows + i : i * inner + k;
                const int atB = right ? j * inner + k : k * columns + j;
                sum += static_cast<double>(a[static_cast<std::size_t>(atA)]) *
                       static_cast<double>(b[static_cast<std::size_t>(atB)]);
            }
            expected.push_back(sum);
        }
    REQUIRE(test::maxDifference(result, expected) <= 1e-5);
}

TEST_CASE("bfloat16 rounds to nearest even and keeps what is no number", "[unit]") {
    using tensor::BFloat16;
    CHECK(static_cast<float>(BFloat16(1.0f)) == 1.0f);
    CHECK(static_cast<float>(BFloat16(1.00390625f)) == 1.0f);      // half a step: to even
    CHECK(static_cast<float>(BFloat16(1.01171875f)) == 1.015625f); // half a step: to even
    CHECK(static_cast<float>(BFloat16(-0.0f)) == 0.0f);
    CHECK(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
    CHECK(std::isinf(static_cast<float>(BFloat16(3.4e38f))));
}
