#include "Core/Teaching/ClassRow.h"

#include "Core/Tensor/Dot.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace earshot::teaching {

namespace {

constexpr double soundingShare = 0.25; // of the weight of all steps
constexpr int rounds = 200;            // of the optimiser
constexpr double peakRate = 0.1;

std::span<const float> inputsOf(const RowSteps& steps, std::size_t step) {
    const auto width = static_cast<std::size_t>(steps.width);
    return steps.inputs.subspan(step * width, width);
}

// Sums of weights, and the factors that give steps that sound their share.
struct Balance {
    double sounding = 0.0, silent = 0.0;

    explicit Balance(const RowSteps& steps) {
        double sounds = 0.0, all = 0.0;
        for (std::size_t i = 0; i < steps.weights.size(); ++i) {
            sounds += static_cast<double>(steps.weights[i] * steps.sounds[i]);
            all += static_cast<double>(steps.weights[i]);
        }
        assert(sounds > 0.0 && all > sounds);
        sounding = soundingShare / sounds;
        silent = (1.0 - soundingShare) / (all - sounds);
    }
    double of(const RowSteps& steps, std::size_t step) const {
        const auto sounds = static_cast<double>(steps.sounds[step]);
        return static_cast<double>(steps.weights[step]) * (sounds * sounding + (1.0 - sounds) * silent);
    }
};

// The mean of the steps that sound (or of the others), and the scales of the others.
struct Moments {
    std::vector<double> soundingMean, silentMean, silentScale;

    explicit Moments(const RowSteps& steps)
        : soundingMean(static_cast<std::size_t>(steps.width))
        , silentMean(soundingMean.size())
        , silentScale(soundingMean.size()) {
        double sounding = 0.0, silent = 0.0;
        for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
            const auto weight = static_cast<double>(steps.weights[i]);
            if (weight == 0.0) continue;
            const auto inputs = inputsOf(steps, i);
            const auto sounds = static_cast<double>(steps.sounds[i]);
            sounding += weight * sounds;
            silent += weight * (1.0 - sounds);
            for (std::size_t k = 0; k < inputs.size(); ++k) {
                const auto x = static_cast<double>(inputs[k]);
                soundingMean[k] += weight * sounds * x;
                silentMean[k] += weight * (1.0 - sounds) * x;
                silentScale[k] += weight * (1.0 - sounds) * x * x;
            }
        }
        constexpr double minVariance = 1e-6;
        for (std::size_t k = 0; k < soundingMean.size(); ++k) {
            soundingMean[k] /= sounding;
            silentMean[k] /= silent;
            silentScale[k] =
                std::sqrt(std::max(silentScale[k] / silent - silentMean[k] * silentMean[k], minVariance));
        }
    }
};

// A row for inputs that are shifted and scaled becomes one for inputs as they are.
ClassRow unscaled(std::span<const double> weights, double bias, const Moments& moments) {
    ClassRow row;
    row.weights.resize(weights.size());
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const double weight = weights[k] / moments.silentScale[k];
        row.weights[k] = static_cast<float>(weight);
        bias -= weight * moments.silentMean[k];
    }
    row.bias = static_cast<float>(bias);
    return row;
}

// Adam (Kingma and Ba 2015) over all steps, with a rate that falls along half a cosine.
class Descent {
  public:
    explicit Descent(std::size_t size)
        : values(size)
        , gradient(size)
        , mean_(size)
        , square_(size) {}

    std::vector<double> values, gradient;

    void step(int round) {
        constexpr double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
        const double rate = peakRate * 0.5 * (1.0 + std::cos(std::numbers::pi * round / rounds));
        const double fresh1 = 1.0 - std::pow(beta1, round + 1), fresh2 = 1.0 - std::pow(beta2, round + 1);
        for (std::size_t k = 0; k < values.size(); ++k) {
            mean_[k] = beta1 * mean_[k] + (1.0 - beta1) * gradient[k];
            square_[k] = beta2 * square_[k] + (1.0 - beta2) * gradient[k] * gradient[k];
            values[k] -= rate * (mean_[k] / fresh1) / (std::sqrt(square_[k] / fresh2) + epsilon);
        }
    }

  private:
    std::vector<double> mean_, square_;
};

// The logistic regression of steps on `width` values each.
std::vector<double> regress(std::span<const float> inputs, std::size_t width, const RowSteps& steps,
                            double decay) {
    const Balance balance(steps);
    Descent descent(width + 1); // the last value is the bias
    descent.values[width] = std::log(soundingShare / (1.0 - soundingShare));
    std::vector<float> weights(width);
    std::vector<float> sums(width);
    for (int round = 0; round < rounds; ++round) {
        std::transform(descent.values.begin(), descent.values.end() - 1, weights.begin(),
                       [](double value) { return static_cast<float>(value); });
        std::ranges::fill(sums, 0.0f);
        double biasSum = 0.0;
        for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
            const double weight = balance.of(steps, i);
            if (weight == 0.0) continue;
            const auto own = inputs.subspan(i * width, width);
            const double logit = tensor::dot(own, weights) + descent.values[width];
            const double error =
                weight * (1.0 / (1.0 + std::exp(-logit)) - static_cast<double>(steps.sounds[i]));
            biasSum += error;
            const auto factor = static_cast<float>(error);
            for (std::size_t k = 0; k < width; ++k) sums[k] += factor * own[k];
        }
        for (std::size_t k = 0; k < width; ++k)
            descent.gradient[k] = static_cast<double>(sums[k]) + decay * descent.values[k];
        descent.gradient[width] = biasSum;
        descent.step(round);
    }
    return std::move(descent.values);
}

// The value below which this share of the values lies. values: not empty; reordered.
float quantile(std::vector<float>& values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                            std::floor(share * static_cast<double>(values.size() - 1)));
    std::ranges::nth_element(values, place);
    return *place;
}

} // namespace

float ClassRow::logit(std::span<const float> inputs) const {
    return static_cast<float>(tensor::dot(inputs, weights)) + bias;
}

ClassRow prototypeRow(const RowSteps& steps) {
    const Moments moments(steps);
    std::vector<double> direction(static_cast<std::size_t>(steps.width));
    double square = 0.0;
    for (std::size_t k = 0; k < direction.size(); ++k) {
        direction[k] = (moments.soundingMean[k] - moments.silentMean[k]) / moments.silentScale[k];
        square += direction[k] * direction[k];
    }
    for (double& value : direction) value /= std::sqrt(square);
    // How far along the direction a step must be is a regression on one value.
    const ClassRow along = unscaled(direction, 0.0, moments);
    std::vector<float> values(steps.sounds.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = along.logit(inputsOf(steps, i));
    const auto fit = regress(values, 1, steps, 1e-3);
    ClassRow row = along;
    for (float& weight : row.weights) weight *= static_cast<float>(fit[0]);
    row.bias = static_cast<float>(fit[0] * static_cast<double>(along.bias) + fit[1]);
    return row;
}

ClassRow trainedRow(const RowSteps& steps, double decay) {
    const Moments moments(steps);
    const auto width = static_cast<std::size_t>(steps.width);
    std::vector<float> scaled(steps.inputs.size());
    for (std::size_t i = 0; i < scaled.size(); ++i) {
        const std::size_t k = i % width;
        scaled[i] = static_cast<float>((static_cast<double>(steps.inputs[i]) - moments.silentMean[k]) /
                                       moments.silentScale[k]);
    }
    const auto fit = regress(scaled, width, steps, decay);
    return unscaled(std::span(fit).first(width), fit[width], moments);
}

void placeThreshold(ClassRow& row, const RowSteps& steps, float threshold) {
    constexpr double silentQuantile = 0.997, soundingQuantile = 0.5, between = 0.35;
    std::vector<float> sounding, silent;
    for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
        if (steps.weights[i] == 0.0f) continue;
        (steps.sounds[i] > 0.5f ? sounding : silent).push_back(row.logit(inputsOf(steps, i)));
    }
    assert(!sounding.empty() && !silent.empty());
    const auto low = static_cast<double>(quantile(silent, silentQuantile));
    const auto high = static_cast<double>(quantile(sounding, soundingQuantile));
    const double place = std::min(low, high) + between * std::abs(high - low);
    const double wanted = std::log(static_cast<double>(threshold) / (1.0 - static_cast<double>(threshold)));
    row.bias += static_cast<float>(wanted - place);
}

} // namespace earshot::teaching
