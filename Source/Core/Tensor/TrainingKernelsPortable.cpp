// For any CPU of the architecture: SSE2 on x86-64, NEON on AArch64.
#define EARSHOT_LANES 4
#define EARSHOT_REGISTERS 16
#include "Core/Tensor/TrainingKernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/TrainingAttention.inc"

#include "Core/Tensor/OptimiserLoops.inc"

#include "Core/Tensor/ByteLoops.inc"

namespace earshot::tensor {

extern const TrainingKernelSet<float> portableTrainingFloat;
const TrainingKernelSet<float> portableTrainingFloat = trainingKernelSet<float>("portable");

extern const TrainingKernelSet<BFloat16> portableTrainingBFloat16;
const TrainingKernelSet<BFloat16> portableTrainingBFloat16 = trainingKernelSet<BFloat16>("portable");

extern const OptimiserKernels portableOptimiser;
const OptimiserKernels portableOptimiser{adamW, sumOfSquares, roundToBFloat16};

extern const ByteKernels portableBytes;
const ByteKernels portableBytes{"portable", layerNormBytes, roundToBytes};

} // namespace earshot::tensor
