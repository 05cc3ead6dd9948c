#include "Core/Tensor/InstructionSets.h"

#include <cstdlib>
#include <string_view>

namespace earshot::tensor {

namespace {

#if defined(__x86_64__)

// oneDNN's own names for instruction sets, from SSE41 to AVX512_CORE_AMX and DEFAULT.
std::string_view highestAllowed() {
    for (const char* variable : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
        if (const char* value = std::getenv(variable)) return value;
    return "DEFAULT";
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
    return InstructionSet::avx512Bf16;
}

#else

InstructionSet detect() { return InstructionSet::portable; }

#endif

} // namespace

InstructionSet bestInstructionSet() {
    static const InstructionSet best = detect();
    return best;
}

} // namespace earshot::tensor
