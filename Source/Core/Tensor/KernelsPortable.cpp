// For any CPU of the architecture: SSE2 on x86-64, NEON on AArch64.
#define EARSHOT_LANES 4
#define EARSHOT_REGISTERS 16
#include "Core/Tensor/KernelLoops.inc"

namespace earshot::tensor {

extern const KernelSet portableKernels;
const KernelSet portableKernels{"portable", layerNorm, attend};

} // namespace earshot::tensor
