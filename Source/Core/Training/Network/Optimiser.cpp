#include "Core/Training/Network/Optimiser.h"

#include "Core/Base/Error.h"
#include "Core/Tensor/Kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace earshot::training {

Optimiser::Optimiser(const ParameterLayout& layout, std::span<const float> initial)
    : stageCount_(layout.config().stageCount()) {
    assert(initial.size() == layout.size());
    const tensor::Shape shape = {static_cast<std::int64_t>(layout.size())};
    for (tensor::Tensor* block : {&values, &moment1, &moment2, &average}) *block = tensor::Tensor(shape);
    std::copy(initial.begin(), initial.end(), values.data());
    std::copy(initial.begin(), initial.end(), average.data());
    for (const Parameter& parameter : layout.parameters()) {
        const bool joins = !runs_.empty() && runs_.back().decays == parameter.decays() &&
                           runs_.back().stage == parameter.stage;
        if (!joins)
            runs_.push_back({parameter.offset, parameter.offset, parameter.decays(), parameter.stage});
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
        // The moments of a stage start with its training.
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

namespace {

Range within(Range whole, int part, int parts) {
    const auto own = partOf(whole.end - whole.begin, part, parts);
    return {whole.begin + own.begin, whole.begin + own.end};
}

} // namespace

double sumGradients(tensor::ThreadPool& team, const Optimiser& optimiser,
                    std::span<const std::span<float>> gradients, Range range, int firstStage) {
    std::vector<double> squares(static_cast<std::size_t>(team.threads()));
    team.run([&](int thread) {
        const auto own = within(range, thread, team.threads());
        const auto sum = gradients.front();
        for (const auto other : gradients.subspan(1))
            for (std::size_t i = own.begin; i < own.end; ++i) sum[i] += other[i];
        squares[static_cast<std::size_t>(thread)] = optimiser.sumOfSquares(sum, own, firstStage);
    });
    return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

void requireFinite(double loss, double norm, std::int64_t step) {
    if (!std::isfinite(loss) || !std::isfinite(norm))
        throw Error(fmt::format("the training diverged at step {}: its loss is no longer a number; train "
                                "again with a lower --rate or a longer --warm-up",
                                step + 1));
}

void update(tensor::ThreadPool& team, Optimiser& optimiser, const TrainerSettings& settings,
            std::int64_t step, std::span<const float> gradient, double norm, Range range) {
    const double scale = norm > settings.clipNorm ? settings.clipNorm / norm : 1.0;
    team.run([&](int thread) {
        optimiser.update(settings, step, gradient, scale, within(range, thread, team.threads()));
    });
}

Range partOf(std::size_t count, int part, int parts) {
    constexpr std::size_t line = 16;
    const std::size_t lines = (count + line - 1) / line;
    const auto edge = [&](int i) {
        return std::min(count, lines * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts) * line);
    };
    return {edge(part), edge(part + 1)};
}

double learningRate(const TrainerSettings& settings, std::int64_t step) {
    if (step < settings.warmUp)
        return settings.peakRate * static_cast<double>(step + 1) / static_cast<double>(settings.warmUp);
    const auto falling = static_cast<double>(std::max<std::int64_t>(1, settings.steps - 1 - settings.warmUp));
    const double progress = std::min(1.0, static_cast<double>(step - settings.warmUp) / falling);
    const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    return settings.finalRate + (settings.peakRate - settings.finalRate) * cosine;
}

double averageRate(const TrainerSettings& settings, std::int64_t step) {
    const auto done = static_cast<double>(step);
    return 1.0 - std::min(settings.average, (1.0 + done) / (10.0 + done));
}

namespace {

// The step from which this stage and all behind it train.
std::int64_t startOf(const TrainerSettings& settings, int stage) {
    if (settings.unfreezeAt.empty()) return 0;
    assert(static_cast<int>(settings.unfreezeAt.size()) > stage + 1);
    return *std::max_element(settings.unfreezeAt.begin() + stage + 1, settings.unfreezeAt.end());
}

} // namespace

int firstTrainedStage(const TrainerSettings& settings, int stageCount, std::int64_t step) {
    int first = stageCount;
    while (first > -1 && startOf(settings, first - 1) <= step) --first;
    return first;
}

std::int64_t stepsTrained(const TrainerSettings& settings, int stage, std::int64_t step) {
    return std::max<std::int64_t>(0, step - startOf(settings, stage));
}

std::vector<std::int64_t> unfreezeEvenly(int stageCount, std::int64_t over) {
    std::vector<std::int64_t> starts;
    const int stages = stageCount + 1; // stages that wait: the input's and the encoder's
    for (int stage = -1; stage <= stageCount; ++stage) starts.push_back(over * (stageCount - stage) / stages);
    return starts;
}

} // namespace earshot::training
