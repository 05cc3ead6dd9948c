// Compiled for AVX512, whatever the rest of the program is compiled for (see CMakeLists.txt).
#if defined(__AVX512F__)
#define EARSHOT_LANES 16
#define EARSHOT_REGISTERS 32
#include "Core/Tensor/KernelLoops.inc"

namespace earshot::tensor {

extern const KernelSet avx512Kernels;
const KernelSet avx512Kernels{"avx512", layerNorm, attend};

} // namespace earshot::tensor
#endif
