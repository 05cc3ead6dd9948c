#include "Core/Tensor/Kernels.h"

#include "Core/Tensor/InstructionSets.h"

#include <algorithm>
#include <array>

namespace earshot::tensor {

extern const KernelSet portableKernels;
#if defined(__x86_64__)
extern const KernelSet avx2Kernels;
extern const KernelSet avx512Kernels;
#endif

namespace {

std::span<const KernelSet> detected() {
#if defined(__x86_64__)
    static const std::array sets{portableKernels, avx2Kernels, avx512Kernels}; // from plain to best
#else
    static const std::array sets{portableKernels};
#endif
    const auto best = static_cast<std::size_t>(bestInstructionSet());
    return std::span(sets).first(std::min(sets.size(), best + 1));
}

} // namespace

std::size_t attentionScratch(int tokens, int headDim) {
    // Queries, keys, values and one tile of scores, with room for the widest rounding of a head's channels
    // (KernelLoops.inc: 3 vectors of 8 or 2 of 16 floats) and of the tile's rows.
    const auto padded = static_cast<std::size_t>(paddedWindow(tokens));
    const auto channels = static_cast<std::size_t>(headDim);
    return padded * (2 * channels + channels + 32) + 4 * padded;
}

const KernelSet& kernels() { return detected().back(); }

std::span<const KernelSet> availableKernels() { return detected(); }

} // namespace earshot::tensor
