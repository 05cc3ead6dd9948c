// The shifted attention windows of a pass in three ways, which give the same result:
//   index maps: attention reads and writes tokens where they are (AttentionLayout), as the product does
//   fused moves: one copy rolls the grid and cuts it into windows, another one brings the tokens back
//   plain moves: roll, cut, and after attention put together and roll back, a copy each, as in the paper's
//   code
#pragma once

#include "Benchmark/Goals.h"
#include "Core/Model/Config.h"
#include "Core/Tensor/Primitives.h"

#include <vector>

namespace earshot::benchmark {

// For each stage with shifted windows, the median time of attention with its moves, and the bytes that moves
// read and write. number: of activations. Throws std::runtime_error if the ways differ.
std::vector<Goal> measureShiftedWindows(const model::Config& config, tensor::Number number, int rounds);

} // namespace earshot::benchmark
