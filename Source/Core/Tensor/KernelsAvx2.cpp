// Compiled for AVX2, whatever the rest of the program is compiled for (see CMakeLists.txt).
#if defined(__AVX2__)
#define EARSHOT_LANES 8
#define EARSHOT_REGISTERS 16
#include "Core/Tensor/KernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/Attention.inc"

#include "Core/Tensor/OptimiserLoops.inc"

#include "Core/Tensor/ByteLoops.inc"

namespace earshot::tensor {

extern const KernelSet<float> avx2Float;
const KernelSet<float> avx2Float = kernelSet<float>("avx2");

extern const KernelSet<BFloat16> avx2BFloat16;
const KernelSet<BFloat16> avx2BFloat16 = kernelSet<BFloat16>("avx2");

extern const OptimiserKernels avx2Optimiser;
const OptimiserKernels avx2Optimiser{adamW, sumOfSquares, roundToBFloat16};

extern const ByteKernels avx2Bytes;
const ByteKernels avx2Bytes{"avx2", layerNormBytes, roundToBytes};

} // namespace earshot::tensor
#endif
