// Compiled for AVX512-BF16, whatever the rest of the program is compiled for (see CMakeLists.txt).
#if defined(__AVX512BF16__)
#define EARSHOT_LANES 16
#define EARSHOT_REGISTERS 32
#include "Core/Tensor/TrainingKernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/TrainingAttention.inc"

namespace earshot::tensor {

extern const TrainingKernelSet<BFloat16> avx512Bf16TrainingBFloat16;
const TrainingKernelSet<BFloat16> avx512Bf16TrainingBFloat16 = trainingKernelSet<BFloat16>("avx512_bf16");

} // namespace earshot::tensor
#endif
