// AdamW and weight averaging over the flat parameter block of a ParameterLayout. Several threads may run
// update() at once, each on its own range.
#pragma once

#include "Core/Tensor/Tensor.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Network/Learner.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

// The range of `count` values for one of `parts`, in whole cache lines.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};
Range partOf(std::size_t count, int part, int parts);

class Optimiser {
  public:
    Optimiser(const ParameterLayout& layout, std::span<const float> initial);

    // The sum of squares over this range in double, which clipping needs. Frozen stages do not count.
    double sumOfSquares(std::span<const float> gradient, Range range, int firstStage) const;
    // The gradient is first multiplied by gradientScale.
    void update(const TrainerSettings& settings, std::int64_t step, std::span<const float> gradient,
                double gradientScale, Range range);

    tensor::Tensor values, moment1, moment2, average; // (layout.size()) each

  private:
    // Neighbouring tensors with the same update.
    struct Run {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool decays = false;
        int stage = 0;
    };

    int stageCount_;
    std::vector<Run> runs_;
};

// Sums the threads' gradients (layout.size() each) into the first one, within the range, in a fixed order.
// Returns the norm of the sum over the parameters that train.
double sumGradients(tensor::ThreadPool& team, const Optimiser& optimiser,
                    std::span<const std::span<float>> gradients, Range range, int firstStage);

// Throws earshot::Error when the loss or the norm is not finite.
void requireFinite(double loss, double norm, std::int64_t step);

// Clips and applies the summed gradient within the range.
void update(tensor::ThreadPool& team, Optimiser& optimiser, const TrainerSettings& settings,
            std::int64_t step, std::span<const float> gradient, double norm, Range range);

// The schedule of a training run: learning rate, weight averaging, and which stages are still frozen. Pure
// functions of the settings and the step (from 0): any thread.

// Linear warm-up from peak / warmUp to peak, then half a cosine down to finalRate at the last step.
double learningRate(const TrainerSettings& settings, std::int64_t step);

// How far the averaged weights move towards the weights after a step. Early averages forget quickly, so that
// the random start leaves no trace: the average's weight is min(average, (1 + step) / (10 + step)).
double averageRate(const TrainerSettings& settings, std::int64_t step);

// The first stage (Parameter::stage) that trains at this step. All stages behind it train too.
int firstTrainedStage(const TrainerSettings& settings, int stageCount, std::int64_t step);
// How many steps a stage has trained before this one.
std::int64_t stepsTrained(const TrainerSettings& settings, int stage, std::int64_t step);

// Unfreezing from the head to the input: the head from step 0 on, the input's stages from step `over` on, the
// others evenly between. For TrainerSettings::unfreezeAt.
std::vector<std::int64_t> unfreezeEvenly(int stageCount, std::int64_t over);

} // namespace earshot::training
