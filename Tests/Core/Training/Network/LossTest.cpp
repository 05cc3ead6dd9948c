#include "Core/Training/Network/Loss.h"

#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ReferenceGradients.h"

#include <bit>
#include <limits>
#include <set>

using namespace earshot;
using namespace earshot::test;
using training::Example;
using training::LossSettings;

namespace {

constexpr int classes = 5;
constexpr std::size_t tokens = 7;

Example example(bool weak, bool someUnknown, unsigned seed = 1) {
    Example e;
    e.weak = weak;
    e.targets = randomValues(weak ? classes : tokens * classes, seed, 0.0f, 1.0f);
    for (std::size_t i = 0; i < e.targets.size(); i += 3) e.targets[i] = i % 2 == 0 ? 1.0f : 0.0f;
    if (someUnknown) e.known = {1.0f, 0.0f, 1.0f, 1.0f, 0.0f};
    return e;
}

// The definition, taken at its word.
double plainLoss(const Values& logits, const Example& e, const LossSettings& settings) {
    double loss = 0.0, count = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
        if (!e.known.empty() && e.known[c] == 0.0f) continue;
        const auto add = [&](double p, double target, double weight) {
            const double t = target * (1.0 - static_cast<double>(settings.labelSmoothing)) +
                             static_cast<double>(settings.labelSmoothing) / 2.0;
            loss -= weight * (static_cast<double>(settings.positiveWeight) * t * std::log(p) +
                              (1.0 - t) * std::log(1.0 - p));
            count += weight;
        };
        double sum = 0.0, squares = 0.0;
        for (std::size_t t = 0; t < logits.size() / classes; ++t) {
            const double p = 1.0 / (1.0 + std::exp(-logits[t * classes + c]));
            const bool newest = t + 1 == tokens; // 0.66 of 7 tokens, rounded
            if (!e.weak)
                add(p, static_cast<double>(e.targets[t * classes + c]),
                    newest ? static_cast<double>(settings.newestWeight) : 1.0);
            sum += p;
            squares += p * p;
        }
        if (e.weak) add(squares / sum, static_cast<double>(e.targets[c]), 1.0);
    }
    return count == 0.0 ? 0.0 : loss / count;
}

double lossOf(const std::vector<float>& logits, const Example& e, const LossSettings& settings,
              std::vector<float>& gradient, float scale = 1.0f) {
    gradient.assign(logits.size(), std::numeric_limits<float>::quiet_NaN());
    return training::lossAndGradient(logits, e, classes, settings, scale, gradient);
}

} // namespace

TEST_CASE("loss and gradient are the definition's, for strong and weak labels", "[unit][training]") {
    for (const bool weak : {false, true})
        for (const bool unknown : {false, true})
            for (const LossSettings settings :
                 {LossSettings{}, LossSettings{0.1f, 1.0f}, LossSettings{0.0f, 3.0f},
                  LossSettings{0.2f, 2.0f}, LossSettings{0.1f, 2.0f, 5.0f}}) {
                INFO((weak ? "weak" : "strong")
                     << (unknown ? ", some unknown" : "") << ", smoothing " << settings.labelSmoothing
                     << ", weight " << settings.positiveWeight);
                const auto e = example(weak, unknown);
                const auto logits = randomValues(tokens * classes, 2, -4.0f, 4.0f);
                std::vector<float> gradient;
                const double loss = lossOf(logits, e, settings, gradient, 0.5f);
                const auto plain = [&](const Values& x) { return plainLoss(x, e, settings); };
                REQUIRE(std::abs(loss - plain(widened(logits))) <= 1e-12);
                auto expected = finiteDifferences(plain, widened(logits));
                for (auto& g : expected) g *= 0.5;
                REQUIRE(maxDifference(gradient, expected) <= 1e-7);
                for (std::size_t t = 0; t < tokens; ++t)
                    REQUIRE((gradient[t * classes + 1] == 0.0f) == unknown);
            }
}

TEST_CASE("logits of any size have a finite loss and gradient", "[unit][training]") {
    for (const bool weak : {false, true})
        for (const float size : {30.0f, 100.0f, 1000.0f, 1e30f})
            for (const float sign : {-1.0f, 1.0f}) {
                auto e = example(weak, false);
                std::fill(e.targets.begin(), e.targets.end(), sign > 0.0f ? 0.0f : 1.0f);
                const std::vector<float> logits(tokens * classes, sign * size);
                std::vector<float> gradient;
                INFO((weak ? "weak" : "strong") << ", logits " << sign * size);
                // Everything wrong: the loss is the size, and gradients pull the right way, in sum by 1.
                const double loss = lossOf(logits, e, {}, gradient);
                REQUIRE(std::abs(loss / static_cast<double>(size) - 1.0) <= 1e-6);
                double sum = 0.0;
                for (const float g : gradient) {
                    REQUIRE(sign * g > 0.0f);
                    sum += static_cast<double>(g);
                }
                REQUIRE(std::abs(sum - static_cast<double>(sign)) <= 1e-6);

                // Everything right: no loss, and no gradient to speak of.
                std::fill(e.targets.begin(), e.targets.end(), sign > 0.0f ? 1.0f : 0.0f);
                REQUIRE(lossOf(logits, e, {}, gradient) <= 1e-12);
                for (const float g : gradient) REQUIRE(std::abs(g) <= 1e-12f);
            }
}

TEST_CASE("a token that sounds alone is enough for a weak label", "[unit][training]") {
    Example e;
    e.weak = true;
    e.targets.assign(classes, 1.0f);
    std::vector<float> logits(tokens * classes, -12.0f), gradient;
    const double silent = lossOf(logits, e, {}, gradient);
    for (std::size_t c = 0; c < classes; ++c) logits[3 * classes + c] = 8.0f;
    const double sounding = lossOf(logits, e, {}, gradient);
    REQUIRE(silent > 10.0);
    REQUIRE(sounding < 0.01);
}

TEST_CASE("what is known of no class costs nothing", "[unit][training]") {
    for (const bool weak : {false, true}) {
        auto e = example(weak, false);
        e.known.assign(classes, 0.0f);
        std::vector<float> gradient;
        REQUIRE(lossOf(randomValues(tokens * classes, 3), e, {}, gradient) == 0.0);
        for (const float g : gradient) REQUIRE(g == 0.0f);
    }
}

TEST_CASE("a NaN logit shows in the loss", "[unit][training]") {
    for (const bool weak : {false, true})
        for (std::size_t at = 0; at < tokens; ++at) {
            auto logits = randomValues(tokens * classes, 4);
            logits[at * classes + 2] = std::numeric_limits<float>::quiet_NaN();
            std::vector<float> gradient;
            REQUIRE(std::isnan(lossOf(logits, example(weak, false), {}, gradient)));
            REQUIRE(std::isnan(gradient[at * classes + 2]));
        }
}

TEST_CASE("seeds differ by seed, purpose and place, in about half their bits", "[unit][training]") {
    std::set<std::uint64_t> seeds;
    double changed = 0.0;
    int pairs = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        for (std::uint64_t purpose = 0; purpose < 10; ++purpose)
            for (std::uint64_t index = 0; index < 50; ++index) {
                const auto value = training::seedFor(seed, purpose, index);
                REQUIRE(value == training::seedFor(seed, purpose, index));
                seeds.insert(value);
                for (const auto next : {training::seedFor(seed + 1, purpose, index),
                                        training::seedFor(seed, purpose + 1, index),
                                        training::seedFor(seed, purpose, index + 1)}) {
                    changed += std::popcount(value ^ next);
                    ++pairs;
                }
            }
    REQUIRE(seeds.size() == 5000);
    REQUIRE(std::abs(changed / pairs - 32.0) < 0.5);
}
