// Earshot's own vector loops: everything between the matrix products (Primitives.h) of a forward and a
// backward pass, above all layer normalisation and window attention.
//
// Activations are stored as `Value` (float or BFloat16); sums, statistics and gradients of parameters are
// float32. Each loop is compiled for several instruction sets and chosen once at run time, so that one binary
// runs on AVX2 machines (and any other architecture) and better ones. DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA,
// which limit oneDNN, limit these loops too. Functions are pure, run on the calling thread and allocate
// nothing. Gradients of parameters are added to, never set.
#pragma once

#include "Core/Tensor/BFloat16.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace earshot::tensor {

// On every CPU, rows of an attention window's scores have a multiple of this many floats.
inline constexpr int attentionPadding = 16;
inline constexpr int paddedTokens(int tokens) {
    return (tokens + attentionPadding - 1) / attentionPadding * attentionPadding;
}

// One attention window: Vaswani et al. 2017; attention windows, bias and mask as in Liu et al., "Swin
// Transformer", 2021.
template <typename Value>
struct AttentionInput {
    const Value* qkv = nullptr; // (rows, 3 * channels): queries, keys, values of all heads side by side
    const std::int32_t* rows =
        // (tokens): the rows of the attention window's tokens in buffers of (rows); null: 0, 1, ...
        nullptr;
    // (heads, tokens, tokens) relative position bias; null: none, in the forward pass
    const float* bias = nullptr;
    const float* mask = nullptr; // (tokens, paddedTokens(tokens)) as AttentionLayout::mask(), or null
    float* scratch = nullptr;    // attentionScratch(tokens, headDim) floats, 64-byte aligned
    int tokens = 0;
    int channels = 0;
    int heads = 0;
    float scale = 1.0f;
};

// Self-attention of all heads of the attention window: softmax(scale * Q K^T + bias + mask) V.
template <typename Value>
struct AttentionTask : AttentionInput<Value> {
    Value* output = nullptr; // (rows, channels)
    int biasStride = 0;      // floats between the beginnings of two rows of bias; 0: tokens
};

// The backward pass of it. Probabilities are computed again from qkv instead of being stored.
template <typename Value>
struct AttentionGradientTask : AttentionInput<Value> {
    const Value* outputGradient = nullptr; // (rows, channels)
    Value* qkvGradient = nullptr;          // (rows, 3 * channels), set
    float* biasGradient = nullptr;         // (heads, tokens, tokens), added to
};

std::size_t attentionScratch(int tokens, int headDim); // floats, enough for both tasks

template <typename Value>
struct KernelSet {
    const char* name; // "portable", "avx2", "avx512", "avx512_bf16", "amx"

    // y[i] = normalise(x[rows[i]]) * gain + bias for `count` rows of `channels` values; rows == nullptr is
    // the identity. Stores mean and 1 / sqrt(variance + epsilon) of each row in statistics (count, 2), unless
    // it is null.
    void (*layerNorm)(const float* x, const std::int32_t* rows, Value* y, float* statistics,
                      std::int64_t count, std::int64_t channels, const float* gain, const float* bias,
                      float epsilon);
    // dx[rows[i]] += the gradient of normalise for dy (count, channels). Adds to gainGradient and
    // biasGradient (channels).
    void (*layerNormBackward)(const float* x, const std::int32_t* rows, const float* statistics,
                              const Value* dy, float* dx, std::int64_t count, std::int64_t channels,
                              const float* gain, float* gainGradient, float* biasGradient);

    // y = x * Phi(x), exact (erf), for n values.
    void (*gelu)(const Value* x, Value* y, std::int64_t n);
    // dy *= gelu'(x)
    void (*geluBackward)(const Value* x, Value* dy, std::int64_t n);

    // x[rows[i]] += scale * y[i]; rows == nullptr is the identity.
    void (*scatterAdd)(float* x, const std::int32_t* rows, const Value* y, float scale, std::int64_t count,
                       std::int64_t channels);
    // y[i] = scale * x[rows[i]]; rows == nullptr is the identity.
    void (*gather)(const float* x, const std::int32_t* rows, Value* y, float scale, std::int64_t count,
                   std::int64_t channels);

    // x[rows[i]] *= scale / max(|x[rows[i]]|, 1e-12) for `count` rows of `channels` values that begin
    // `stride` values apart. Stores that factor of each row (0 for a shorter row, which gets no gradient) in
    // factors (count), unless it is null.
    void (*normaliseRows)(Value* x, const std::int32_t* rows, float scale, float* factors, std::int64_t count,
                          std::int64_t stride, std::int64_t channels);
    // dy, the gradient of its result y, becomes that of x; rows as above, without an index. Returns the sum
    // of y * dy, the gradient by log(scale).
    double (*normaliseRowsBackward)(const Value* y, Value* dy, float scale, const float* factors,
                                    std::int64_t count, std::int64_t stride, std::int64_t channels);

    // sums (channels) += the sum over rows of y (count, channels)
    void (*addColumnSums)(const Value* y, float* sums, std::int64_t count, std::int64_t channels);

    void (*attend)(const AttentionTask<Value>& task); // of all heads
    void (*attendOne)(const AttentionTask<Value>& task, int head);
    void (*attendBackward)(const AttentionGradientTask<Value>& task);
};

// One step of AdamW (Loshchilov and Hutter 2019) over n values. Decay, rates and corrections belong to the
// step.
struct AdamStep {
    float rate;          // learning rate
    float decay;         // weight decay: value -= rate * decay * value
    float beta1, beta2;  // of the running moments
    float correction1;   // 1 / (1 - beta1^t)
    float correction2;   // 1 / (1 - beta2^t)
    float epsilon;       // added to the root of the second moment
    float gradientScale; // multiplies the gradient first (clipping and averaging)
    float averageRate;   // average += averageRate * (value - average), after the step
};
struct OptimiserKernels {
    void (*adamW)(const AdamStep& step, const float* gradient, float* value, float* moment1, float* moment2,
                  float* average, std::int64_t n);
    double (*sumOfSquares)(const float* x, std::int64_t n);
    void (*roundToBFloat16)(const float* x, BFloat16* y, std::int64_t n);
};

// The best instruction set that this CPU runs, within the limit of DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA.
template <typename Value>
const KernelSet<Value>& kernels();
const OptimiserKernels& optimiserKernels();
// All instruction sets that this CPU runs, for tests and the benchmark.
template <typename Value>
std::span<const KernelSet<Value>> availableKernels();

// The vector loops that turn the operands of a byte product (Bytes.h) into bytes. Compiled for several
// instruction sets and chosen at run time like Kernels. Pure functions on the calling thread; they allocate
// nothing.
struct ByteKernels {
    const char* name; // "portable", "avx2", "avx512"

    // y = round(normalise(x) * gain + bias) over each row of (rows, channels), clamped to 0 ... 255.
    void (*layerNorm)(const float* x, std::uint8_t* y, std::int64_t rows, std::int64_t channels,
                      const float* gain, const float* bias, float epsilon);
    // y = round(x * scale + shift) for n values, clamped to 0 ... 255.
    void (*round)(const float* x, std::uint8_t* y, std::int64_t n, float scale, float shift);
};

// The best instruction set that this CPU runs, within the limit of DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA.
const ByteKernels& byteKernels();
// All instruction sets that this CPU runs, for tests.
std::span<const ByteKernels> availableByteKernels();

} // namespace earshot::tensor
