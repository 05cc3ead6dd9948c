// AdamW and weight averaging over the flat parameter block of a ParameterLayout. update() may run on several
// threads at once, each with a range of its own.
#pragma once

#include "Core/Tensor/Tensor.h"
#include "Core/Training/Parameters.h"
#include "Core/Training/Team.h"
#include "Core/Training/Trainer.h"

#include <span>
#include <vector>

namespace earshot::training {

class Optimiser {
  public:
    Optimiser(const ParameterLayout& layout, std::span<const float> initial);

    // Of this range, summed in double: what clipping needs. Frozen stages do not count.
    double sumOfSquares(std::span<const float> gradient, Range range, int firstStage) const;
    // gradientScale: multiplies the gradient first.
    void update(const TrainerSettings& settings, std::int64_t step, std::span<const float> gradient,
                double gradientScale, Range range);

    tensor::Tensor values, moment1, moment2, average; // (layout.size()) each

  private:
    // Neighbouring tensors that are updated alike.
    struct Run {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool decays = false;
        int stage = 0;
    };

    int stageCount_;
    std::vector<Run> runs_;
};

} // namespace earshot::training
