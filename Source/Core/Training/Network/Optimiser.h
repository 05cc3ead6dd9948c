// AdamW and weight averaging over the flat parameter block of a ParameterLayout. update() may run on several
// threads at once, each with a range of its own.
#pragma once

#include "Core/Tensor/Tensor.h"
#include "Core/Training/Network/Team.h"
#include "Core/Training/Run/Learner.h"

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

// Sums the threads' gradients (layout's size each) into the first, within the range, in a fixed order.
// Returns the norm of the sum over what trains.
double sumGradients(Team& team, const Optimiser& optimiser, std::span<const std::span<float>> gradients,
                    Range range, int firstStage);

// Throws earshot::Error when the loss or the norm is not a number.
void requireFinite(double loss, double norm, std::int64_t step);

// Clips and applies the summed gradient within the range.
void update(Team& team, Optimiser& optimiser, const TrainerSettings& settings, std::int64_t step,
            std::span<const float> gradient, double norm, Range range);

} // namespace earshot::training
