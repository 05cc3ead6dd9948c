// Which of our own vector loops this CPU runs. Any thread.
#pragma once

namespace earshot::tensor {

enum class InstructionSet { portable, avx2, avx512, avx512Bf16, amx }; // each runs all before it

// The best of this CPU, within what DNNL_MAX_CPU_ISA / ONEDNN_MAX_CPU_ISA allow; found once.
InstructionSet bestInstructionSet();

} // namespace earshot::tensor
