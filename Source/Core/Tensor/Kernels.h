// Earshot's own vector loops: layer normalisation and windowed attention. Matrix products with weights are
// oneDNN's (Primitives.h).
//
// Each loop is compiled for several instruction sets and chosen once at run time, so that one binary runs
// from AVX2 machines (and any other architecture) up. DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA, which lower
// oneDNN's choice, lower this one too. Functions are pure: any thread; they allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace earshot::tensor {

// Scores of a window are computed in rows of this many floats or a multiple of it, whatever the CPU.
inline constexpr int attentionPadding = 16;
inline constexpr int paddedWindow(int tokens) {
    return (tokens + attentionPadding - 1) / attentionPadding * attentionPadding;
}
// Added to scores of the padding, so that it vanishes in the softmax.
inline constexpr float paddingScore = -1.0e30f;

// One head of one attention window: softmax(scale * Q K^T + bias + mask) V.
// Vaswani et al. 2017; windows, bias and mask as in Liu et al., "Swin Transformer", 2021.
struct AttentionWindow {
    const float* qkv = nullptr;         // (grid tokens, 3 * channels): queries, keys, values of all heads
    float* output = nullptr;            // (grid tokens, channels)
    const std::int32_t* rows = nullptr; // (tokens) the window's tokens as rows of qkv and of output
    const float* bias = nullptr;        // (tokens, paddedWindow(tokens)), padding holds paddingScore
    const float* mask = nullptr;        // the same shape with padding 0, or null
    float* scratch = nullptr;           // attentionScratch(tokens, headDim) floats, 64-byte aligned
    int tokens = 0;                     // in the window
    int channels = 0;                   // of all heads
    int head = 0;
    int headDim = 0;
    float scale = 1.0f;
};

std::size_t attentionScratch(int tokens, int headDim); // floats

struct KernelSet {
    const char* name; // "portable", "avx2", "avx512"

    // y = (x - mean) / sqrt(variance + epsilon) * gain + bias over each row; x and y are (rows, channels) and
    // may be the same.
    void (*layerNorm)(const float* x, float* y, std::int64_t rows, std::int64_t channels, const float* gain,
                      const float* bias, float epsilon);
    void (*attend)(const AttentionWindow& window);
};

// The best set this CPU runs.
const KernelSet& kernels();
// All sets this CPU runs, for tests and the benchmark.
std::span<const KernelSet> availableKernels();

} // namespace earshot::tensor
