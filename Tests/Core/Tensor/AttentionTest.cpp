#include "Core/Tensor/Kernels.h"
#include "Core/Tensor/Tensor.h"

#include "Core/Tensor/ValueTools.h"
#include "Support/Catch.h"
#include "Support/ReferenceGradients.h"

#include <limits>
#include <string_view>

using namespace earshot;
using namespace earshot::test;
using tensor::BFloat16;

namespace {

struct Case {
    AttentionShape shape;
    bool masked;
    float spread; // of queries and keys: large ones make the softmax a choice of one
};

// A window's inputs, as the kernels take them and as the plain loops do.
template <typename Value>
struct Window {
    Case of;
    std::vector<Value> qkv, outputGradient;
    std::vector<float> bias, mask; // the mask's rows are padded
    Values plainMask;              // and here they are not
    tensor::Tensor scratch;
    float scale;

    static constexpr std::size_t guard = 64;
    static constexpr float sentinel = 77.0f;

    explicit Window(const Case& c)
        : of(c)
        , qkv(randomOf<Value>(c.shape.tokens * 3 * c.shape.channels(), 1, -c.spread, c.spread))
        , outputGradient(randomOf<Value>(c.shape.tokens * c.shape.channels(), 2))
        , bias(randomValues(c.shape.heads * c.shape.tokens * c.shape.tokens, 3))
        , scratch({static_cast<std::int64_t>(
              tensor::attentionScratch(static_cast<int>(c.shape.tokens), static_cast<int>(c.shape.headDim)) +
              guard)})
        , scale(1.0f / std::sqrt(static_cast<float>(c.shape.headDim))) {
        // What an earlier window left there must not matter.
        for (auto& v : scratch.values()) v = std::numeric_limits<float>::quiet_NaN();
        for (auto& v : scratch.values().last(guard)) v = sentinel;
        if (!c.masked) return;
        const auto padded = static_cast<std::size_t>(tensor::paddedTokens(static_cast<int>(c.shape.tokens)));
        mask.resize(c.shape.tokens * padded);
        for (std::size_t i = 0; i < c.shape.tokens; ++i)
            for (std::size_t j = 0; j < c.shape.tokens; ++j) {
                mask[i * padded + j] = (i + j) % 3 == 0 && i != j ? -100.0f : 0.0f;
                plainMask.push_back(static_cast<double>(mask[i * padded + j]));
            }
    }

    template <typename Task>
    Task task() {
        Task t;
        t.qkv = qkv.data();
        t.bias = bias.data();
        t.mask = of.masked ? mask.data() : nullptr;
        t.scratch = scratch.data();
        t.tokens = static_cast<int>(of.shape.tokens);
        t.channels = static_cast<int>(of.shape.channels());
        t.heads = static_cast<int>(of.shape.heads);
        t.scale = scale;
        return t;
    }
    bool scratchKept() {
        for (const float v : scratch.values().last(guard))
            if (v != sentinel) return false;
        return true;
    }
};

// What products of numbers up to `size` may lose: sets that multiply bfloat16 round the probabilities and
// the scores' gradients too.
template <typename Value>
double tolerance(const tensor::KernelSet<Value>& set, const Case& c, double size) {
    const double spread = std::max(1.0, static_cast<double>(c.spread) * static_cast<double>(c.spread));
    const bool inPairs = std::string_view(set.name) == "avx512_bf16" || std::string_view(set.name) == "amx";
    return size * (inPairs ? 1.0 / 128.0 : 4e-6 * spread) + 1e-6;
}

template <typename Value>
void check(const tensor::KernelSet<Value>& set, const Case& c) {
    INFO(set.name << ": " << c.shape.tokens << " tokens, " << c.shape.heads << " heads of " << c.shape.headDim
                  << (c.masked ? ", masked" : "") << ", spread " << c.spread);
    Window<Value> window(c);
    const auto qkv = doubles(window.qkv), bias = widened(window.bias), dy = doubles(window.outputGradient);

    std::vector<Value> output(c.shape.tokens * c.shape.channels(), Value(Window<Value>::sentinel));
    auto forward = window.template task<tensor::AttentionTask<Value>>();
    forward.output = output.data();
    set.attend(forward);
    const auto expected = referenceMultiHead(c.shape, qkv, bias, window.plainMask, window.scale);
    REQUIRE(near(output, expected, tolerance(set, c, largestOf(expected))));
    REQUIRE(window.scratchKept());

    std::vector<Value> gradient(window.qkv.size(), Value(Window<Value>::sentinel));
    auto biasGradient = randomValues(bias.size(), 4);
    auto expectedBias = widened(biasGradient);
    auto backward = window.template task<tensor::AttentionGradientTask<Value>>();
    backward.outputGradient = window.outputGradient.data();
    backward.qkvGradient = gradient.data();
    backward.biasGradient = biasGradient.data();
    set.attendBackward(backward);
    const auto slopes = referenceMultiHeadBackward(c.shape, qkv, bias, window.plainMask, window.scale, dy);
    for (std::size_t i = 0; i < expectedBias.size(); ++i) expectedBias[i] += slopes.bias[i];
    REQUIRE(near(gradient, slopes.qkv, tolerance(set, c, largestOf(slopes.qkv))));
    const double spread = std::max(1.0, static_cast<double>(c.spread) * static_cast<double>(c.spread));
    REQUIRE(near(biasGradient, expectedBias, 4e-6 * spread * (1.0 + largestOf(slopes.bias))));
    REQUIRE(window.scratchKept());
}

} // namespace

TEMPLATE_TEST_CASE("every kernel set attends forward and back like the plain loops", "[unit][kernels]", float,
                   BFloat16) {
    for (const auto& set : tensor::availableKernels<TestType>()) {
        for (const std::size_t tokens : {1u, 4u, 9u, 16u, 25u, 49u, 64u})
            for (const std::size_t headDim : {1u, 5u, 8u, 13u, 24u, 32u, 40u, 48u, 64u})
                for (const bool masked : {false, true}) check(set, {{tokens, 2, headDim}, masked, 1.0f});
        for (const float spread : {0.0f, 6.0f}) check(set, {{64, 3, 24}, true, spread});
        check(set, {{144, 1, 33}, true, 1.0f});
    }
}

// As a pass reads them: a shifted window's tokens lie here and there, and the bias is padded.
TEMPLATE_TEST_CASE("attention finds its tokens by their rows, head by head", "[unit][kernels]", float,
                   BFloat16) {
    for (const auto& set : tensor::availableKernels<TestType>())
        for (const std::size_t tokens : {4u, 16u, 25u, 64u}) {
            INFO(set.name << ", " << tokens << " tokens");
            Window<TestType> window({{tokens, 3, 24}, true, 1.0f});
            const std::size_t channels = window.of.shape.channels();
            auto task = window.template task<tensor::AttentionTask<TestType>>();
            std::vector<TestType> expected(tokens * channels);
            task.output = expected.data();
            set.attend(task);

            std::vector<std::int32_t> rows;
            std::vector<TestType> scattered(3 * tokens * 3 * channels, TestType(window.sentinel));
            for (std::size_t t = 0; t < tokens; ++t) {
                rows.push_back(static_cast<std::int32_t>((t * 7 + 2) % (3 * tokens)));
                std::copy_n(window.qkv.begin() + static_cast<std::ptrdiff_t>(t * 3 * channels), 3 * channels,
                            scattered.begin() + static_cast<std::ptrdiff_t>(rows[t]) *
                                                    static_cast<std::ptrdiff_t>(3 * channels));
            }
            const auto padded = static_cast<std::size_t>(tensor::paddedTokens(static_cast<int>(tokens)));
            std::vector<float> bias(3 * tokens * padded, std::numeric_limits<float>::quiet_NaN()); // padding
            for (std::size_t row = 0; row < 3 * tokens; ++row)
                std::copy_n(window.bias.begin() + static_cast<std::ptrdiff_t>(row * tokens), tokens,
                            bias.begin() + static_cast<std::ptrdiff_t>(row * padded));
            std::vector<TestType> output(3 * tokens * channels, TestType(window.sentinel));
            task.qkv = scattered.data();
            task.rows = rows.data();
            task.bias = bias.data();
            task.biasStride = static_cast<int>(padded);
            task.output = output.data();
            for (const int head : {2, 0, 1}) set.attendOne(task, head);

            std::size_t written = 0;
            for (std::size_t t = 0; t < tokens; ++t)
                for (std::size_t c = 0; c < channels; ++c, ++written)
                    REQUIRE(static_cast<float>(output[static_cast<std::size_t>(rows[t]) * channels + c]) ==
                            static_cast<float>(expected[t * channels + c]));
            const auto kept = std::count_if(output.begin(), output.end(), [&](TestType v) {
                return static_cast<float>(v) == window.sentinel;
            });
            REQUIRE(static_cast<std::size_t>(kept) == output.size() - written);
        }
}

TEMPLATE_TEST_CASE("a NaN in attention shows in its token's output", "[unit][kernels]", float, BFloat16) {
    for (const auto& set : tensor::availableKernels<TestType>())
        for (const std::size_t part : {0u, 1u, 2u}) {
            Window<TestType> window({{20, 1, 24}, false, 1.0f});
            window.qkv[7 * 72 + part * 24 + 3] = TestType(std::numeric_limits<float>::quiet_NaN());
            std::vector<TestType> output(20 * 24);
            auto task = window.template task<tensor::AttentionTask<TestType>>();
            task.output = output.data();
            set.attend(task);
            INFO(set.name << ", part " << part);
            REQUIRE(std::isnan(static_cast<float>(output[7 * 24 + 3])));
        }
}

TEST_CASE("the plain loops' gradients are what finite differences say", "[unit][kernels]") {
    const AttentionShape shape{5, 2, 3};
    const auto qkv = widened(randomValues(shape.tokens * 3 * shape.channels(), 1, -2.0f, 2.0f));
    const auto bias = widened(randomValues(shape.heads * shape.tokens * shape.tokens, 2));
    const auto dy = widened(randomValues(shape.tokens * shape.channels(), 3));
    Values mask(shape.tokens * shape.tokens);
    mask[3] = -100.0;
    const auto slopes = referenceMultiHeadBackward(shape, qkv, bias, mask, 0.6, dy);
    const auto ofQkv = [&](const Values& x) {
        return dot(referenceMultiHead(shape, x, bias, mask, 0.6), dy);
    };
    const auto ofBias = [&](const Values& x) {
        return dot(referenceMultiHead(shape, qkv, x, mask, 0.6), dy);
    };
    REQUIRE(maxDifference(slopes.qkv, finiteDifferences(ofQkv, qkv)) <= 1e-8);
    REQUIRE(maxDifference(slopes.bias, finiteDifferences(ofBias, bias)) <= 1e-8);

    const auto x = widened(randomValues(4 * 6, 4, -2.0f, 3.0f)), gain = widened(randomValues(6, 5));
    const auto shift = widened(randomValues(6, 6)), gradient = widened(randomValues(4 * 6, 7));
    const auto norm = referenceLayerNormBackward(x, gain, gradient);
    const auto ofX = [&](const Values& v) { return dot(referenceLayerNorm(v, gain, shift), gradient); };
    const auto ofGain = [&](const Values& v) { return dot(referenceLayerNorm(x, v, shift), gradient); };
    const auto ofShift = [&](const Values& v) { return dot(referenceLayerNorm(x, gain, v), gradient); };
    REQUIRE(maxDifference(norm.x, finiteDifferences(ofX, x)) <= 1e-7);
    REQUIRE(maxDifference(norm.gain, finiteDifferences(ofGain, gain)) <= 1e-7);
    REQUIRE(maxDifference(norm.bias, finiteDifferences(ofShift, shift)) <= 1e-7);

    for (const double at : {-5.0, -1.0, -0.1, 0.0, 0.7, 3.0}) {
        const auto slope = finiteDifferences([](const Values& v) { return referenceGelu(v[0]); }, {at});
        REQUIRE(std::abs(slope[0] - referenceGeluSlope(at)) <= 1e-8);
    }
}
