#include "Core/Training/Run/SebbFit.h"

#include "Core/Detection/Events/Sebbs.h"
#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Scores.h"
#include "Core/Training/Data/Dice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace earshot::training {

namespace {

using detection::boxFeatureCount;
using detection::SebbFeatures;
using detection::SebbNetwork;

constexpr std::size_t hiddenUnits = 16;
constexpr std::size_t steps = 2000;
constexpr std::size_t batch = 1024;
constexpr double peakRate = 1e-2; // falls to 0 along a cosine
constexpr double weightDecay = 1e-4;
constexpr double biasDecay = 1e-3;               // of the class biases, which have few examples each
constexpr std::array wideGaps = {0.5, 1.0, 2.0}; // seconds

struct SebbExample {
    SebbFeatures features;
    int label;
    bool right;
};

void addExamples(const evaluation::Scored& recording, int classes, double gap,
                 std::vector<SebbExample>& examples) {
    const auto columns = recording.columns(classes);
    const auto annotations = evaluation::joinOverlaps(recording.annotations, gap);
    std::vector<float> row(columns);
    for (int label = 0; label < classes; ++label) {
        for (std::size_t i = 0; i < columns; ++i)
            row[i] =
                recording
                    .probabilities[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label)];
        const auto truths = evaluation::ofClass(annotations, label);
        for (const auto& box : detection::boxCandidates({.values = row}, recording.columnSeconds, gap)) {
            const evaluation::Annotation found{
                .onset = static_cast<double>(box.columns.first) * recording.columnSeconds,
                .offset = static_cast<double>(box.columns.last + 1) * recording.columnSeconds,
                .label = label};
            const bool right = std::ranges::any_of(truths, [&](const auto& truth) {
                return evaluation::admissible(truth, found, evaluation::looseCollar);
            });
            examples.push_back({box.features, label, right});
        }
    }
}

void standardise(const std::vector<SebbExample>& examples, SebbNetwork& network) {
    constexpr double minDeviation = 1e-3;
    const auto count = static_cast<double>(examples.size());
    for (std::size_t i = 0; i < boxFeatureCount; ++i) {
        double sum = 0.0, squares = 0.0;
        for (const SebbExample& example : examples) sum += static_cast<double>(example.features[i]);
        const double mean = sum / count;
        for (const SebbExample& example : examples) {
            const double difference = static_cast<double>(example.features[i]) - mean;
            squares += difference * difference;
        }
        network.mean[i] = static_cast<float>(mean);
        network.scale[i] = static_cast<float>(std::max(minDeviation, std::sqrt(squares / count)));
    }
}

// The network's values in one row, with their gradients' moments: Adam (Kingma and Ba 2015).
class Fit {
  public:
    Fit(const std::vector<SebbExample>& examples, SebbNetwork network, std::size_t classes,
        std::uint64_t seed)
        : examples_(examples)
        , network_(std::move(network))
        , values_(classBiases + classes)
        , gradient_(values_.size())
        , first_(values_.size())
        , second_(values_.size())
        , dice_(seed) {
        const float range = 1.0f / std::sqrt(static_cast<float>(boxFeatureCount));
        for (std::size_t i = 0; i < hiddenBiases; ++i)
            values_[i] = static_cast<double>(dice_.between(-range, range));
        for (std::size_t i = 0; i < hiddenUnits; ++i)
            values_[outputWeights + i] = static_cast<double>(dice_.between(-0.25f, 0.25f));
    }

    SebbNetwork run() {
        for (std::size_t step = 0; step < steps; ++step) {
            std::ranges::fill(gradient_, 0.0);
            for (std::size_t i = 0; i < batch; ++i) learn(examples_[dice_.below(examples_.size())]);
            const double turn = std::numbers::pi * static_cast<double>(step) / static_cast<double>(steps);
            move(peakRate * 0.5 * (1.0 + std::cos(turn)), static_cast<double>(step + 1));
        }
        return result();
    }

  private:
    static constexpr std::size_t hiddenBiases = hiddenUnits * boxFeatureCount;
    static constexpr std::size_t outputWeights = hiddenBiases + hiddenUnits;
    static constexpr std::size_t outputBias = outputWeights + hiddenUnits;
    static constexpr std::size_t classBiases = outputBias + 1;

    // Adds the gradient of the cross-entropy.
    void learn(const SebbExample& example) {
        std::array<double, boxFeatureCount> input;
        for (std::size_t i = 0; i < boxFeatureCount; ++i)
            input[i] = static_cast<double>((example.features[i] - network_.mean[i]) / network_.scale[i]);
        const std::size_t own = classBiases + static_cast<std::size_t>(example.label);
        std::array<double, hiddenUnits> hidden;
        double logit = values_[outputBias] + values_[own];
        for (std::size_t h = 0; h < hiddenUnits; ++h) {
            double sum = values_[hiddenBiases + h];
            for (std::size_t i = 0; i < boxFeatureCount; ++i)
                sum += values_[h * boxFeatureCount + i] * input[i];
            hidden[h] = std::tanh(sum);
            logit += values_[outputWeights + h] * hidden[h];
        }
        const double error =
            (1.0 / (1.0 + std::exp(-logit)) - (example.right ? 1.0 : 0.0)) / static_cast<double>(batch);
        gradient_[outputBias] += error;
        gradient_[own] += error;
        for (std::size_t h = 0; h < hiddenUnits; ++h) {
            gradient_[outputWeights + h] += error * hidden[h];
            const double back = error * values_[outputWeights + h] * (1.0 - hidden[h] * hidden[h]);
            gradient_[hiddenBiases + h] += back;
            for (std::size_t i = 0; i < boxFeatureCount; ++i)
                gradient_[h * boxFeatureCount + i] += back * input[i];
        }
    }

    void move(double rate, double step) {
        constexpr double decay1 = 0.9, decay2 = 0.999, tiny = 1e-8;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const double gradient = gradient_[i] + (i < classBiases ? weightDecay : biasDecay) * values_[i];
            first_[i] = decay1 * first_[i] + (1.0 - decay1) * gradient;
            second_[i] = decay2 * second_[i] + (1.0 - decay2) * gradient * gradient;
            const double mean = first_[i] / (1.0 - std::pow(decay1, step));
            const double spread = std::sqrt(second_[i] / (1.0 - std::pow(decay2, step)));
            values_[i] -= rate * mean / (spread + tiny);
        }
    }

    SebbNetwork result() {
        const auto value = [&](std::size_t i) { return static_cast<float>(values_[i]); };
        for (std::size_t h = 0; h < hiddenUnits; ++h) {
            auto& weights = network_.hiddenWeights.emplace_back();
            for (std::size_t i = 0; i < boxFeatureCount; ++i) weights[i] = value(h * boxFeatureCount + i);
            network_.hiddenBiases.push_back(value(hiddenBiases + h));
            network_.outputWeights.push_back(value(outputWeights + h));
        }
        network_.outputBias = value(outputBias);
        for (std::size_t i = classBiases; i < values_.size(); ++i) network_.classBiases.push_back(value(i));
        return network_;
    }

    const std::vector<SebbExample>& examples_;
    SebbNetwork network_;
    std::vector<double> values_, gradient_, first_, second_;
    Dice dice_;
};

float bestConfidence(std::span<const evaluation::Scored> recordings, int classes, const SebbNetwork& network,
                     double mergeGap) {
    std::vector<float> grid;
    for (int i = 2; i <= 24; ++i) grid.push_back(0.025f * static_cast<float>(i)); // 0.05 to 0.6
    evaluation::DetectorSettings detector;
    detector.mergeGap = mergeGap;
    detector.sebbs = std::make_shared<const detection::SebbScorer>(network, 0.0f);
    const auto points = evaluation::sweep(recordings, classes, grid, detector);
    const auto best =
        std::ranges::max_element(points, {}, [](const auto& point) { return point.looseEvents.f1(); });
    return best->threshold;
}

} // namespace

std::shared_ptr<const detection::SebbScorer> fitSebbs(std::span<const evaluation::Scored> recordings,
                                                      int classes, std::uint64_t seed, double mergeGap) {
    std::vector<SebbExample> examples;
    for (const evaluation::Scored& recording : recordings) {
        if (!recording.strong) continue;
        addExamples(recording, classes, mergeGap, examples);
        for (const double gap : wideGaps)
            if (gap > mergeGap) addExamples(recording, classes, gap, examples);
    }
    if (std::ranges::count(examples, true, &SebbExample::right) < minSebbs) return nullptr;
    SebbNetwork network;
    standardise(examples, network);
    network = Fit(examples, std::move(network), static_cast<std::size_t>(classes), seed).run();
    return std::make_shared<const detection::SebbScorer>(
        network, bestConfidence(recordings, classes, network, mergeGap));
}

} // namespace earshot::training
