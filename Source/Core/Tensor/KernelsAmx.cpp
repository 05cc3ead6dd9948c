// Compiled for AMX over AVX512-BF16, whatever the rest of the program is compiled for (see CMakeLists.txt).
// Not for Windows: GCC's functions for tiles hand on the stride as `long`, which has 32 bits there.
#if defined(__AMX_BF16__) && !defined(_WIN32)
#define EARSHOT_LANES 16
#define EARSHOT_REGISTERS 32
#include "Core/Tensor/KernelLoops.inc"

#include "Core/Tensor/AttentionProducts.inc"

#include "Core/Tensor/AttentionPacking.inc"

#include "Core/Tensor/Attention.inc"

#include "Core/Tensor/AttentionTiles.inc"

namespace earshot::tensor {

namespace {

constexpr KernelSet<BFloat16> amxKernelSet() {
    auto set = kernelSet<BFloat16>("amx");
    set.attend = attendInTiles;
    set.attendOne = attendOneInTiles;
    set.attendBackward = attendBackwardInSingles;
    return set;
}

} // namespace

extern const KernelSet<BFloat16> amxBFloat16;
const KernelSet<BFloat16> amxBFloat16 = amxKernelSet();

} // namespace earshot::tensor
#endif
