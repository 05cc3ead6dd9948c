#include "Core/Tensor/Kernels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#if defined(__x86_64__)
#define EARSHOT_X86_KERNELS 1
#endif

namespace earshot::tensor {

extern const KernelSet portableKernels;
#ifdef EARSHOT_X86_KERNELS
extern const KernelSet avx2Kernels;
extern const KernelSet avx512Kernels;
#endif

namespace {

struct KernelList {
    std::array<KernelSet, 3> sets; // from plain to best
    std::size_t count = 0;
};

#ifdef EARSHOT_X86_KERNELS

// oneDNN's own names for instruction sets, from SSE41 to AVX512_CORE_AMX and DEFAULT.
std::string_view highestAllowed() {
    for (const char* variable : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
        if (const char* value = std::getenv(variable)) return value;
    return "DEFAULT";
}

KernelList detect() {
    const auto allowed = highestAllowed();
    const bool allowAvx2 = allowed != "SSE41" && allowed != "AVX";
    const bool allowAvx512 = allowAvx2 && !allowed.starts_with("AVX2");
    KernelList list;
    list.sets[list.count++] = portableKernels;
    if (allowAvx2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list.sets[list.count++] = avx2Kernels;
    if (allowAvx512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        list.sets[list.count++] = avx512Kernels;
    return list;
}

#else

KernelList detect() {
    KernelList list;
    list.sets[list.count++] = portableKernels;
    return list;
}

#endif

const KernelList& detected() {
    static const KernelList list = detect();
    return list;
}

} // namespace

std::size_t attentionScratch(int tokens, int headDim) {
    // Queries, keys, values and one tile of scores, with room for the widest rounding of a head's channels
    // (KernelLoops.inc: 3 vectors of 8 or 2 of 16 floats) and of the tile's rows.
    const auto padded = static_cast<std::size_t>(paddedWindow(tokens));
    const auto channels = static_cast<std::size_t>(headDim);
    return padded * (2 * channels + channels + 32) + 4 * padded;
}

const KernelSet& kernels() {
    const auto& list = detected();
    return list.sets[list.count - 1];
}

std::span<const KernelSet> availableKernels() {
    const auto& list = detected();
    return {list.sets.data(), list.count};
}

} // namespace earshot::tensor
