#include "Core/Tensor/TrainingKernels.h"

#include "Core/Tensor/ByteKernels.h"
#include "Core/Tensor/InstructionSets.h"
#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <array>

namespace earshot::tensor {

extern const TrainingKernelSet<float> portableTrainingFloat;
extern const TrainingKernelSet<BFloat16> portableTrainingBFloat16;
extern const OptimiserKernels portableOptimiser;
extern const ByteKernels portableBytes;
#if defined(__x86_64__)
extern const TrainingKernelSet<float> avx2TrainingFloat, avx512TrainingFloat;
extern const TrainingKernelSet<BFloat16> avx2TrainingBFloat16, avx512TrainingBFloat16,
    avx512Bf16TrainingBFloat16;
extern const OptimiserKernels avx2Optimiser, avx512Optimiser;
extern const ByteKernels avx2Bytes, avx512Bytes;
#endif

namespace {

// Those this CPU runs, of sets from plain to best.
template <typename Set, std::size_t Count>
std::span<const Set> runnable(const std::array<Set, Count>& sets) {
    return std::span(sets).first(std::min(Count, static_cast<std::size_t>(bestInstructionSet()) + 1));
}

} // namespace

std::size_t trainingAttentionScratch(int tokens, int headDim) {
    // What attendBackwardHead of TrainingAttention.inc takes of its arena, for the widest vectors.
    constexpr std::size_t lanes = 16, tileRows = 8;
    const auto padded = static_cast<std::size_t>(paddedWindow(tokens));
    const auto channels = static_cast<std::size_t>(headDim);
    const std::size_t width = (channels + lanes - 1) / lanes * lanes;
    return padded * (4 * width + 2 * channels + 2 * padded) + tileRows * (2 * padded + width);
}

template <>
std::span<const TrainingKernelSet<float>> availableTrainingKernels<float>() {
#if defined(__x86_64__)
    static const std::array sets{portableTrainingFloat, avx2TrainingFloat, avx512TrainingFloat};
#else
    static const std::array sets{portableTrainingFloat};
#endif
    return runnable(sets);
}

template <>
std::span<const TrainingKernelSet<BFloat16>> availableTrainingKernels<BFloat16>() {
#if defined(__x86_64__)
    static const std::array sets{portableTrainingBFloat16, avx2TrainingBFloat16, avx512TrainingBFloat16,
                                 avx512Bf16TrainingBFloat16};
#else
    static const std::array sets{portableTrainingBFloat16};
#endif
    return runnable(sets);
}

template <typename Value>
const TrainingKernelSet<Value>& trainingKernels() {
    return availableTrainingKernels<Value>().back();
}
template const TrainingKernelSet<float>& trainingKernels<float>();
template const TrainingKernelSet<BFloat16>& trainingKernels<BFloat16>();

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
