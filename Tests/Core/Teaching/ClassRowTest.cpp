#include "Core/Teaching/ClassRow.h"

#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace earshot;
using teaching::ClassRow;
using teaching::RowSteps;

namespace {

constexpr std::size_t width = 6;

// Steps around two means; every fifth sounds.
struct Steps {
    explicit Steps(float distance) {
        std::mt19937 generator(3);
        std::normal_distribution<float> normal;
        for (std::size_t i = 0; i < 600; ++i) {
            const bool isOn = i % 5 == 0;
            sounds.push_back(isOn ? 1.0f : 0.0f);
            weights.push_back(i % 7 == 3 ? 0.0f : 1.0f);
            for (std::size_t k = 0; k < width; ++k)
                inputs.push_back(3.0f + static_cast<float>(k + 1) * normal(generator) +
                                 (isOn && k < 2 ? distance * static_cast<float>(k + 1) : 0.0f));
            if (weights.back() == 0.0f) inputs.back() = 1e6f; // what does not count does not matter
        }
    }
    RowSteps view() const { return {static_cast<std::int64_t>(width), inputs, sounds, weights}; }
    std::span<const float> at(std::size_t step) const {
        return std::span(inputs).subspan(step * width, width);
    }

    std::vector<float> inputs, sounds, weights;
};

// The share of the steps on the right side of probability `threshold`.
double right(const Steps& steps, const ClassRow& row, float threshold) {
    int good = 0, all = 0;
    for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
        if (steps.weights[i] == 0.0f) continue;
        const float probability = 1.0f / (1.0f + std::exp(-row.logit(steps.at(i))));
        good += (probability >= threshold) == (steps.sounds[i] > 0.5f) ? 1 : 0;
        ++all;
    }
    return static_cast<double>(good) / all;
}

} // namespace

TEST_CASE("rows tell the steps of a sound from others", "[unit]") {
    const Steps steps(8.0f);
    for (auto row : {teaching::prototypeRow(steps.view()), teaching::trainedRow(steps.view(), 0.01)}) {
        teaching::placeThreshold(row, steps.view(), 0.4f);
        CHECK(right(steps, row, 0.4f) > 0.99);
        // What does not tell them apart hardly counts.
        for (std::size_t k = 2; k < width; ++k)
            CHECK(std::abs(row.weights[k]) < 0.3f * std::abs(row.weights[0]));
    }
}

TEST_CASE("a trained row is where the gradient of its loss vanishes", "[unit]") {
    const Steps steps(2.0f);
    constexpr double decay = 0.05;
    const auto row = teaching::trainedRow(steps.view(), decay);
    // The loss in plain sums, over inputs that are scaled as those of the steps that do not sound.
    std::vector<double> mean(width), square(width), gradient(width);
    double silent = 0.0, sounding = 0.0, bias = 0.0;
    for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
        if (steps.weights[i] == 0.0f) continue;
        (steps.sounds[i] > 0.5f ? sounding : silent) += 1.0;
        if (steps.sounds[i] > 0.5f) continue;
        for (std::size_t k = 0; k < width; ++k) {
            mean[k] += static_cast<double>(steps.at(i)[k]);
            square[k] += std::pow(static_cast<double>(steps.at(i)[k]), 2.0);
        }
    }
    for (std::size_t k = 0; k < width; ++k) {
        mean[k] /= silent;
        square[k] = std::sqrt(square[k] / silent - mean[k] * mean[k]);
    }
    for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
        if (steps.weights[i] == 0.0f) continue;
        const auto sounds = static_cast<double>(steps.sounds[i]);
        const double share = sounds > 0.5 ? 0.25 / sounding : 0.75 / silent;
        const double error =
            share * (1.0 / (1.0 + std::exp(-static_cast<double>(row.logit(steps.at(i))))) - sounds);
        bias += error;
        for (std::size_t k = 0; k < width; ++k)
            gradient[k] += error * (static_cast<double>(steps.at(i)[k]) - mean[k]) / square[k];
    }
    CHECK(std::abs(bias) < 1e-4);
    for (std::size_t k = 0; k < width; ++k)
        CHECK(std::abs(gradient[k] + decay * static_cast<double>(row.weights[k]) * square[k]) < 1e-4);
}

TEST_CASE("a threshold lies between what others stay below and what the sound reaches", "[unit]") {
    const Steps steps(4.0f);
    auto row = teaching::trainedRow(steps.view(), 0.01);
    for (const float threshold : {0.2f, 0.4f, 0.9f}) {
        teaching::placeThreshold(row, steps.view(), threshold);
        int alarms = 0, found = 0;
        for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
            if (steps.weights[i] == 0.0f) continue;
            const bool above = 1.0f / (1.0f + std::exp(-row.logit(steps.at(i)))) >= threshold;
            (steps.sounds[i] > 0.5f ? found : alarms) += above ? 1 : 0;
        }
        CHECK(alarms <= 5); // of some 410
        CHECK(found >= 40); // of some 100
    }
}
