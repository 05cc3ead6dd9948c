#include "Core/Tensor/Kernels.h"

#include "Core/Tensor/InstructionSets.h"

#include <algorithm>
#include <array>

namespace earshot::tensor {

extern const KernelSet<float> portableFloat;
extern const KernelSet<BFloat16> portableBFloat16;
extern const OptimiserKernels portableOptimiser;
extern const ByteKernels portableBytes;
#if defined(__x86_64__)
extern const KernelSet<float> avx2Float, avx512Float;
extern const KernelSet<BFloat16> avx2BFloat16, avx512BFloat16, avx512Bf16BFloat16, amxBFloat16;
extern const OptimiserKernels avx2Optimiser, avx512Optimiser;
extern const ByteKernels avx2Bytes, avx512Bytes;
#endif

namespace {

// The instruction sets that this CPU runs, from plain to best.
template <typename Set, std::size_t Count>
std::span<const Set> runnable(const std::array<Set, Count>& sets) {
    return std::span(sets).first(std::min(Count, static_cast<std::size_t>(bestInstructionSet()) + 1));
}

} // namespace

std::size_t attentionScratch(int tokens, int headDim) {
    // The part of its arena that attendBackwardHead of Attention.inc uses with the widest vectors.
    constexpr std::size_t lanes = 16, tileRows = 8;
    const auto padded = static_cast<std::size_t>(paddedTokens(tokens));
    const auto channels = static_cast<std::size_t>(headDim);
    const std::size_t width = (channels + lanes - 1) / lanes * lanes;
    return padded * (4 * width + 2 * channels + 2 * padded) + tileRows * (2 * padded + width);
}

template <>
std::span<const KernelSet<float>> availableKernels<float>() {
#if defined(__x86_64__)
    static const std::array sets{portableFloat, avx2Float, avx512Float};
#else
    static const std::array sets{portableFloat};
#endif
    return runnable(sets);
}

template <>
std::span<const KernelSet<BFloat16>> availableKernels<BFloat16>() {
#if defined(__x86_64__)
    static const std::array sets {
        portableBFloat16, avx2BFloat16, avx512BFloat16, avx512Bf16BFloat16,
#if !defined(_WIN32)
            amxBFloat16
#endif
    };
#else
    static const std::array sets{portableBFloat16};
#endif
    return runnable(sets);
}

template <typename Value>
const KernelSet<Value>& kernels() {
    return availableKernels<Value>().back();
}
template const KernelSet<float>& kernels<float>();
template const KernelSet<BFloat16>& kernels<BFloat16>();

const OptimiserKernels& optimiserKernels() {
#if defined(__x86_64__)
    static const std::array sets{portableOptimiser, avx2Optimiser, avx512Optimiser};
#else
    static const std::array sets{portableOptimiser};
#endif
    return runnable(sets).back();
}

std::span<const ByteKernels> availableByteKernels() {
#if defined(__x86_64__)
    static const std::array sets{portableBytes, avx2Bytes, avx512Bytes};
#else
    static const std::array sets{portableBytes};
#endif
    return runnable(sets);
}

const ByteKernels& byteKernels() { return availableByteKernels().back(); }

} // namespace earshot::tensor
