#include "Core/Training/Optimiser.h"

#include "Core/Tensor/TrainingKernels.h"
#include "Core/Training/Schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::training {

Optimiser::Optimiser(const ParameterLayout& layout, std::span<const float> initial)
    : stageCount_(layout.config().stageCount()) {
    assert(initial.size() == layout.size());
    const tensor::Shape shape = {static_cast<std::int64_t>(layout.size())};
    for (tensor::Tensor* block : {&values, &moment1, &moment2, &average}) *block = tensor::Tensor(shape);
    std::copy(initial.begin(), initial.end(), values.data());
    std::copy(initial.begin(), initial.end(), average.data());
    for (const Parameter& parameter : layout.parameters()) {
        const bool joins = !runs_.empty() && runs_.back().decays == parameter.decays &&
                           runs_.back().stage == parameter.stage;
        if (!joins) runs_.push_back({parameter.offset, parameter.offset, parameter.decays, parameter.stage});
        runs_.back().end = parameter.offset + parameter.size;
    }
}

double Optimiser::sumOfSquares(std::span<const float> gradient, Range range, int firstStage) const {
    double sum = 0.0;
    for (const Run& run : runs_) {
        const std::size_t begin = std::max(run.begin, range.begin);
        const std::size_t end = std::min(run.end, range.end);
        if (begin < end && run.stage >= firstStage)
            sum += tensor::optimiserKernels().sumOfSquares(gradient.data() + begin,
                                                           static_cast<std::int64_t>(end - begin));
    }
    return sum;
}

void Optimiser::update(const TrainerSettings& settings, std::int64_t step, std::span<const float> gradient,
                       double gradientScale, Range range) {
    const int firstStage = firstTrainedStage(settings, stageCount_, step);
    for (const Run& run : runs_) {
        const std::size_t begin = std::max(run.begin, range.begin);
        const std::size_t end = std::min(run.end, range.end);
        if (begin >= end || run.stage < firstStage) continue;
        // The moments of a stage start when it does.
        const auto time = static_cast<double>(stepsTrained(settings, run.stage, step) + 1);
        const tensor::AdamStep adam{
            .rate = static_cast<float>(learningRate(settings, step)),
            .decay = run.decays ? static_cast<float>(settings.weightDecay) : 0.0f,
            .beta1 = static_cast<float>(settings.beta1),
            .beta2 = static_cast<float>(settings.beta2),
            .correction1 = static_cast<float>(1.0 / (1.0 - std::pow(settings.beta1, time))),
            .correction2 = static_cast<float>(1.0 / (1.0 - std::pow(settings.beta2, time))),
            .epsilon = static_cast<float>(settings.epsilon),
            .gradientScale = static_cast<float>(gradientScale),
            .averageRate = static_cast<float>(averageRate(settings, step))};
        tensor::optimiserKernels().adamW(adam, gradient.data() + begin, values.data() + begin,
                                         moment1.data() + begin, moment2.data() + begin,
                                         average.data() + begin, static_cast<std::int64_t>(end - begin));
    }
}

} // namespace earshot::training
