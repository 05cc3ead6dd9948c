#include "Core/Training/Network/Loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace earshot::training {

namespace {

// log(sigmoid(x)), log(1 - sigmoid(x)) and both probabilities; never takes the logarithm of 0.
struct Sigmoid {
    double p, rest; // sum to 1
    double logP, logRest;

    explicit Sigmoid(double x) {
        const double small = std::exp(-std::abs(x)), softplus = std::log1p(small);
        p = (x < 0.0 ? small : 1.0) / (1.0 + small);
        rest = (x < 0.0 ? 1.0 : small) / (1.0 + small);
        logP = (x < 0.0 ? x : 0.0) - softplus;
        logRest = (x < 0.0 ? 0.0 : -x) - softplus;
    }
};

double smoothed(double target, double smoothing) { return target * (1.0 - smoothing) + smoothing / 2.0; }

bool isKnown(const Example& example, std::size_t c) {
    return example.known.empty() || example.known[c] != 0.0f;
}

// The first of the last tokens that have a weight of their own.
std::size_t firstNewest(std::size_t tokens) {
    return tokens -
           static_cast<std::size_t>(std::lround(LossSettings::newestShare * static_cast<double>(tokens)));
}

// The loss of one class, summed over tokens; sets its gradient by token.
double strongLoss(std::span<const float> logits, const Example& example, std::size_t classes, std::size_t c,
                  const LossSettings& settings, std::span<double> gradient) {
    double loss = 0.0;
    const std::size_t newest = firstNewest(gradient.size());
    for (std::size_t t = 0; t < gradient.size(); ++t) {
        const double weight = t < newest ? 1.0 : static_cast<double>(settings.newestWeight);
        const Sigmoid s(logits[t * classes + c]);
        const double target = smoothed(example.targets[t * classes + c], settings.labelSmoothing);
        const double on = settings.positiveWeight * target, off = 1.0 - target;
        loss -= weight * (on * s.logP + off * s.logRest);
        gradient[t] = weight * (off * s.p - on * s.rest);
    }
    return loss;
}

// The logarithm of a sum of exponentials, and the share of each.
struct LogSum {
    explicit LogSum(const std::vector<double>& logs)
        : shares(logs) {
        const double top = *std::max_element(logs.begin(), logs.end());
        double sum = 0.0;
        for (auto& share : shares) sum += share = std::exp(share - top);
        for (auto& share : shares) share /= sum;
        value = top + std::log(sum);
    }
    double value;
    std::vector<double> shares;
};

// p = sum(p_t^2) / sum(p_t) over tokens, in logarithms, because far below 0 all p_t underflow to 0.
double weakLoss(std::span<const float> logits, const Example& example, std::size_t classes, std::size_t c,
                const LossSettings& settings, std::span<double> gradient) {
    const std::size_t tokens = gradient.size();
    std::vector<Sigmoid> sigmoids;
    std::vector<double> logs(tokens), logSquares(tokens), logProducts(tokens);
    sigmoids.reserve(tokens);
    for (std::size_t t = 0; t < tokens; ++t) {
        const auto& s = sigmoids.emplace_back(logits[t * classes + c]);
        logs[t] = s.logP;
        logSquares[t] = 2.0 * s.logP;
        logProducts[t] = s.logP + s.logRest;
    }
    const LogSum sum(logs), squares(logSquares), products(logProducts); // of p, p^2 and p (1 - p)
    const double target = smoothed(example.targets[c], settings.labelSmoothing);
    const double on = settings.positiveWeight * target, off = 1.0 - target;
    for (std::size_t t = 0; t < tokens; ++t) {
        const auto& s = sigmoids[t];
        const double common = sum.shares[t] * s.rest;
        gradient[t] = -on * (2.0 * squares.shares[t] * s.rest - common) -
                      off * (products.shares[t] * (s.rest - s.p) - common);
    }
    return -on * (squares.value - sum.value) - off * (products.value - sum.value);
}

} // namespace

double lossAndGradient(std::span<const float> logits, const Example& example, int classes,
                       const LossSettings& settings, float scale, std::span<float> gradient) {
    const auto width = static_cast<std::size_t>(classes);
    const std::size_t tokens = logits.size() / width;
    assert(gradient.size() == logits.size());
    assert(example.targets.size() == (example.weak ? width : logits.size()));
    assert(example.known.empty() || example.known.size() == width);

    std::size_t known = 0;
    for (std::size_t c = 0; c < width; ++c) known += isKnown(example, c) ? 1 : 0;
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    if (known == 0 || tokens == 0) return 0.0;

    const std::size_t newest = firstNewest(tokens);
    const double weights = static_cast<double>(newest) +
                           static_cast<double>(settings.newestWeight) * static_cast<double>(tokens - newest);
    const double share = 1.0 / (static_cast<double>(known) * (example.weak ? 1.0 : weights));
    std::vector<double> slopes(tokens);
    double loss = 0.0;
    for (std::size_t c = 0; c < width; ++c) {
        if (!isKnown(example, c)) continue;
        loss += example.weak ? weakLoss(logits, example, width, c, settings, slopes)
                             : strongLoss(logits, example, width, c, settings, slopes);
        for (std::size_t t = 0; t < tokens; ++t)
            gradient[t * width + c] = static_cast<float>(slopes[t] * share * scale);
    }
    return loss * share;
}

} // namespace earshot::training
