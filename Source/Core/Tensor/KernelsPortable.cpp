// For any CPU of the architecture: SSE2 on x86-64, NEON on AArch64.
#define EARSHOT_LANES 4
#define EARSHOT_REGISTERS 16
#include "Core/Tensor/KernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/Attention.inc"

#include "Core/Tensor/OptimiserLoops.inc"

#include "Core/Tensor/ByteLoops.inc"

namespace earshot::tensor {

extern const KernelSet<float> portableFloat;
const KernelSet<float> portableFloat = kernelSet<float>("portable");

extern const KernelSet<BFloat16> portableBFloat16;
const KernelSet<BFloat16> portableBFloat16 = kernelSet<BFloat16>("portable");

extern const OptimiserKernels portableOptimiser;
const OptimiserKernels portableOptimiser{adamW, sumOfSquares, roundToBFloat16};

extern const ByteKernels portableBytes;
const ByteKernels portableBytes{"portable", layerNormBytes, roundToBytes};

} // namespace earshot::tensor
