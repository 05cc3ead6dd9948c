// Compiled for AVX512-BF16, whatever the rest of the program is compiled for (see CMakeLists.txt).
#if defined(__AVX512BF16__)
#define EARSHOT_LANES 16
#define EARSHOT_REGISTERS 32
#include "Core/Tensor/KernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/Attention.inc"

namespace earshot::tensor {

extern const KernelSet<BFloat16> avx512Bf16BFloat16;
const KernelSet<BFloat16> avx512Bf16BFloat16 = kernelSet<BFloat16>("avx512_bf16");

} // namespace earshot::tensor
#endif
