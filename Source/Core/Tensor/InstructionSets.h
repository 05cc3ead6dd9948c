// The instruction set of our own vector loops on this CPU. Any thread.
#pragma once

#include <string_view>

namespace earshot::tensor {

enum class InstructionSet { portable, avx2, avx512, avx512Bf16, amx }; // each runs all before it

// The best set of this CPU within the limit of DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA. It is found once.
InstructionSet bestInstructionSet();

// "AVX2", or "portable C++" for loops that the compiler made vectors of.
std::string_view nameOf(InstructionSet set);

} // namespace earshot::tensor
