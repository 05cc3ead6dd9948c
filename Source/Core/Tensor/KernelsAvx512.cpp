// Compiled for AVX512, whatever the rest of the program is compiled for (see CMakeLists.txt).
#if defined(__AVX512F__)
#define EARSHOT_LANES 16
#define EARSHOT_REGISTERS 32
#include "Core/Tensor/KernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/Attention.inc"

#include "Core/Tensor/OptimiserLoops.inc"

#include "Core/Tensor/ByteLoops.inc"

namespace earshot::tensor {

extern const KernelSet<float> avx512Float;
const KernelSet<float> avx512Float = kernelSet<float>("avx512");

extern const KernelSet<BFloat16> avx512BFloat16;
const KernelSet<BFloat16> avx512BFloat16 = kernelSet<BFloat16>("avx512");

extern const OptimiserKernels avx512Optimiser;
const OptimiserKernels avx512Optimiser{adamW, sumOfSquares, roundToBFloat16};

extern const ByteKernels avx512Bytes;
const ByteKernels avx512Bytes{"avx512", layerNormBytes, roundToBytes};

} // namespace earshot::tensor
#endif
