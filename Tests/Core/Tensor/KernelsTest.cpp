#include "Core/Tensor/Kernels.h"

#include "Core/Tensor/Tensor.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ReferenceNetwork.h"

#include <algorithm>
#include <numeric>

using namespace earshot;
using test::randomValues;
using test::widened;

TEST_CASE("every kernel set normalises rows like the plain loop", "[unit][kernels]") {
    for (const auto& kernels : tensor::availableKernels())
        for (const std::size_t channels : {1u, 3u, 8u, 16u, 24u, 31u, 96u, 100u, 768u, 3072u}) {
            const std::size_t rows = 5;
            const auto x = randomValues(rows * channels, 1, -4.0f, 9.0f);
            const auto gain = randomValues(channels, 2), bias = randomValues(channels, 3);
            const auto expected = test::referenceLayerNorm(widened(x), widened(gain), widened(bias));
            std::vector<float> y(x.size());
            kernels.layerNorm(x.data(), y.data(), rows, static_cast<std::int64_t>(channels), gain.data(),
                              bias.data(), 1e-5f);
            INFO(kernels.name << ", " << channels << " channels");
            REQUIRE(test::maxDifference(y, expected) <= 5e-6);

            auto inPlace = x;
            kernels.layerNorm(inPlace.data(), inPlace.data(), rows, static_cast<std::int64_t>(channels),
                              gain.data(), bias.data(), 1e-5f);
            REQUIRE(inPlace == y);
        }
}

namespace {

struct Shape {
    int tokens, headDim, heads;
    bool masked;
    float spread; // of queries and keys: large ones make the softmax a choice of one
};

// One window, whose tokens lie scattered among others, against the plain loop; nothing else may be written.
void checkAttention(const tensor::KernelSet& kernels, const Shape& shape) {
    const int channels = shape.headDim * shape.heads, grid = 2 * shape.tokens + 3;
    const auto qkv =
        randomValues(static_cast<std::size_t>(grid) * 3 * channels, 4, -shape.spread, shape.spread);
    std::vector<std::int32_t> rows(static_cast<std::size_t>(grid));
    std::iota(rows.begin(), rows.end(), 0);
    std::shuffle(rows.begin(), rows.end(), std::mt19937(5));
    rows.resize(static_cast<std::size_t>(shape.tokens));

    const int padded = tensor::paddedWindow(shape.tokens);
    std::vector<float> bias(static_cast<std::size_t>(shape.tokens) * padded, tensor::paddingScore),
        mask(bias.size());
    test::Values biasSum;
    const auto random = randomValues(bias.size(), 6);
    for (int i = 0; i < shape.tokens; ++i)
        for (int j = 0; j < shape.tokens; ++j) {
            const auto at = static_cast<std::size_t>(i) * padded + j;
            bias[at] = random[at];
            mask[at] = (i + j) % 3 == 0 && i != j ? -100.0f : 0.0f;
            biasSum.push_back(bias[at] + (shape.masked ? mask[at] : 0.0f));
        }

    constexpr float untouched = 77.0f;
    std::vector<float> output(static_cast<std::size_t>(grid) * channels, untouched), expected = output;
    tensor::Tensor scratch(
        {static_cast<std::int64_t>(tensor::attentionScratch(shape.tokens, shape.headDim))});
    for (int head = 0; head < shape.heads; ++head) {
        tensor::AttentionWindow task;
        task.qkv = qkv.data();
        task.output = output.data();
        task.rows = rows.data();
        task.bias = bias.data();
        task.mask = shape.masked ? mask.data() : nullptr;
        task.scratch = scratch.data();
        task.tokens = shape.tokens;
        task.channels = channels;
        task.head = head;
        task.headDim = shape.headDim;
        task.scale = 1.0f / std::sqrt(static_cast<float>(shape.headDim));
        kernels.attend(task);

        test::Values parts[3];
        for (const auto row : rows)
            for (int part = 0; part < 3; ++part)
                for (int c = 0; c < shape.headDim; ++c)
                    parts[part].push_back(qkv[static_cast<std::size_t>((row * 3 + part) * channels +
                                                                       head * shape.headDim + c)]);
        const auto result = test::referenceAttention(parts[0], parts[1], parts[2], biasSum,
                                                     static_cast<std::size_t>(shape.headDim));
        for (std::size_t t = 0; t < rows.size(); ++t)
            for (int c = 0; c < shape.headDim; ++c)
                expected[static_cast<std::size_t>(rows[t] * channels + head * shape.headDim + c)] =
                    static_cast<float>(
                        result[t * static_cast<std::size_t>(shape.headDim) + static_cast<std::size_t>(c)]);
    }
    INFO(kernels.name << ": " << shape.tokens << " tokens, " << shape.headDim << " wide, spread "
                      << shape.spread);
    // Scores grow with the square of the spread, and so does what float32 loses of them.
    REQUIRE(test::maxDifference(output, expected) <= 2e-6 * std::max(1.0f, shape.spread * shape.spread));
}

} // namespace

TEST_CASE("every kernel set attends like the plain loop", "[unit][kernels]") {
    for (const auto& kernels : tensor::availableKernels()) {
        for (const int tokens : {1, 2, 4, 9, 16, 25, 49, 64, 144})
            for (const int headDim : {1, 5, 8, 24, 32, 48, 64})
                for (const bool masked : {false, true})
                    checkAttention(kernels, {tokens, headDim, 2, masked, 1.0f});
        for (const float spread : {0.0f, 10.0f}) checkAttention(kernels, {64, 24, 3, true, spread});
    }
}
