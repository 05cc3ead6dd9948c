#include "Core/Training/Data/Mixup.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <random>

namespace earshot::training {

namespace {

double uniform(std::mt19937_64& generator) { // above 0, below 1
    return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53;
}

// Johnk's method; the standard library has no Beta distribution.
double beta(double alpha, std::mt19937_64& generator) {
    while (true) {
        const double x = std::pow(uniform(generator), 1.0 / alpha);
        const double y = std::pow(uniform(generator), 1.0 / alpha);
        if (x + y > 0.0 && x + y <= 1.0) return x / (x + y);
    }
}

} // namespace

std::vector<Mix> chooseMixes(std::size_t batch, float share, float alpha, std::uint64_t seed) {
    assert(alpha > 0.0f && alpha <= 2.0f);
    std::mt19937_64 generator(seed);
    std::vector<std::size_t> others(batch);
    std::iota(others.begin(), others.end(), std::size_t{0});
    for (std::size_t i = batch; i > 1; --i) std::swap(others[i - 1], others[generator() % i]);
    std::vector<Mix> mixes(batch);
    for (std::size_t i = 0; i < batch; ++i) {
        const bool wanted = uniform(generator) < share;
        const double weight = beta(alpha, generator);
        mixes[i].other = i;
        if (wanted && others[i] != i)
            mixes[i] = {others[i], static_cast<float>(std::min(weight, 1.0 - weight))};
    }
    return mixes;
}

bool canMix(const Example& a, const Example& b) { return a.weak == b.weak && a.known == b.known; }

void mix(const Example& a, const Example& b, float share, std::span<float> logMel, Example& labels) {
    assert(logMel.size() == a.logMel.size());
    labels.weak = a.weak;
    labels.known = a.known;
    labels.targets = a.targets;
    if (!(share > 0.0f) || &a == &b) {
        std::copy(a.logMel.begin(), a.logMel.end(), logMel.begin());
        return;
    }
    assert(b.logMel.size() == a.logMel.size() && b.targets.size() == a.targets.size());
    const float own = 1.0f - share;
    for (std::size_t i = 0; i < logMel.size(); ++i) logMel[i] = own * a.logMel[i] + share * b.logMel[i];
    for (std::size_t i = 0; i < a.targets.size(); ++i)
        labels.targets[i] = own * a.targets[i] + share * b.targets[i];
}

} // namespace earshot::training
