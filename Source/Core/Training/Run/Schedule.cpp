#include "Core/Training/Run/Schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace earshot::training {

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

// When this stage and all behind it train.
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
    const int stages = stageCount + 1; // that wait: the input's and the encoder's
    for (int stage = -1; stage <= stageCount; ++stage) starts.push_back(over * (stageCount - stage) / stages);
    return starts;
}

} // namespace earshot::training
