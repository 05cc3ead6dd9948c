// Compiled for AVX2, whatever the rest of the program is compiled for (see CMakeLists.txt).
#if defined(__AVX2__)
#define EARSHOT_LANES 8
#define EARSHOT_REGISTERS 16
#include "Core/Tensor/KernelLoops.inc"

namespace earshot::tensor {

extern const KernelSet avx2Kernels;
const KernelSet avx2Kernels{"avx2", layerNorm, attend};

} // namespace earshot::tensor
#endif
