// The vector loops that make bytes of what a byte product reads (Bytes.h). Compiled for several instruction
// sets and chosen at run time as Kernels.h does. Pure functions on the calling thread; they allocate nothing.
#pragma once

#include <cstdint>
#include <span>

namespace earshot::tensor {

struct ByteKernels {
    const char* name; // "portable", "avx2", "avx512"

    // y = round(normalise(x) * gain + bias) over each row of (rows, channels), cut to 0 ... 255.
    void (*layerNorm)(const float* x, std::uint8_t* y, std::int64_t rows, std::int64_t channels,
                      const float* gain, const float* bias, float epsilon);
    // y = round(x * scale + shift) for n values, cut to 0 ... 255.
    void (*round)(const float* x, std::uint8_t* y, std::int64_t n, float scale, float shift);
};

// The best this CPU runs, within what DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA allow.
const ByteKernels& byteKernels();
// All sets this CPU runs, for tests.
std::span<const ByteKernels> availableByteKernels();

} // namespace earshot::tensor
