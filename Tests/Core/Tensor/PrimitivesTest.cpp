#include "Core/Tensor/Primitives.h"

#include "Core/Tensor/Tensor.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ReferenceNetwork.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

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

TEST_CASE("threads share one layer", "[unit]") {
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
