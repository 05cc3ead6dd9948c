#include "Core/Tensor/InstructionSets.h"

#include "Core/Base/Platform/System.h"

#include <cstdlib>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace earshot::tensor {

namespace {

#if defined(__x86_64__)

// oneDNN's own names for instruction sets, from SSE41 to AVX512_CORE_AMX and DEFAULT.
std::string_view highestAllowed() {
    for (const char* variable : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
        if (const char* value = std::getenv(variable)) return value;
    return "DEFAULT";
}

// Whether the CPU multiplies tiles of bfloat16 and the system allows them to this process.
bool hasTiles() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned bfloat16 = 1u << 22, tiles = 1u << 24;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & bfloat16) == 0 || (d & tiles) == 0) return false;
    return platform::requestTileRegisters();
}

InstructionSet detect() {
    const auto allowed = highestAllowed();
    if (allowed == "SSE41" || allowed == "AVX" || !__builtin_cpu_supports("avx2") ||
        !__builtin_cpu_supports("fma"))
        return InstructionSet::portable;
    if (allowed.starts_with("AVX2") || !__builtin_cpu_supports("avx512f") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return InstructionSet::avx2;
    if (allowed == "AVX512_CORE" || allowed == "AVX512_CORE_VNNI" || !__builtin_cpu_supports("avx512bf16"))
        return InstructionSet::avx512;
    const bool tilesAllowed = allowed == "DEFAULT" || allowed == "ALL" || allowed.ends_with("AMX");
    return tilesAllowed && hasTiles() ? InstructionSet::amx : InstructionSet::avx512Bf16;
}

#else

InstructionSet detect() { return InstructionSet::portable; }

#endif

} // namespace

InstructionSet bestInstructionSet() {
    static const InstructionSet best = detect();
    return best;
}

std::string_view nameOf(InstructionSet set) {
    switch (set) {
    case InstructionSet::portable:
        break;
    case InstructionSet::avx2:
        return "AVX2";
    case InstructionSet::avx512:
        return "AVX-512";
    case InstructionSet::avx512Bf16:
        return "AVX-512 BF16";
    case InstructionSet::amx:
        return "AMX";
    }
    return "portable C++";
}

} // namespace earshot::tensor
