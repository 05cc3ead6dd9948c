#include "Core/Training/Scenes/SceneValidator.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace earshot::training {

namespace {

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// The targets of an example as a recording without detections.
evaluation::Scored truthOf(const Example& example, const model::Config& config) {
    const auto classes = static_cast<std::size_t>(config.classes);
    const std::size_t rows = example.targets.size() / classes;
    const auto sounds = [&](std::size_t row, std::size_t label) {
        return row < rows && example.targets[row * classes + label] >= 0.5f;
    };
    evaluation::Scored recording;
    recording.duration = config.windowFrames() * config.secondsPerFrame();
    recording.columnSeconds = config.secondsPerToken();
    std::vector<evaluation::Annotation> annotations;
    for (std::size_t label = 0; label < classes; ++label) {
        if (example.weak && sounds(0, label)) recording.labels.push_back(static_cast<int>(label));
        for (std::size_t row = 0; row < rows; ++row) {
            if (!sounds(row, label) || (row > 0 && sounds(row - 1, label))) continue;
            std::size_t end = row + 1;
            while (sounds(end, label)) ++end;
            annotations.push_back({static_cast<double>(row) * recording.columnSeconds,
                                   static_cast<double>(end) * recording.columnSeconds,
                                   static_cast<int>(label)});
        }
    }
    recording.strong = !example.weak;
    if (recording.strong) annotate(recording, std::move(annotations));
    return recording;
}

} // namespace

SceneValidator::SceneValidator(const ParameterLayout& layout, const ExampleSource& source, std::size_t count,
                               int threads, int microBatch, Arithmetic arithmetic)
    : layout_(layout)
    , microBatch_(microBatch)
    , team_(threads)
    , networks_(static_cast<std::size_t>(threads))
    , examples_(count)
    , recordings_(count) {
    const model::Config& config = layout.config();
    std::atomic<std::size_t> next = 0;
    team_.run([&](int thread) {
        networks_[static_cast<std::size_t>(thread)] =
            std::make_unique<TrainingNetwork>(layout, microBatch, arithmetic);
        const auto maker = source.newMaker();
        for (std::size_t i = next++; i < count; i = next++) {
            maker->make(i, examples_[i]);
            recordings_[i] = truthOf(examples_[i], config);
        }
    });
}

ValidationScores SceneValidator::validate(std::span<const float> parameters,
                                          const BandStatistics& statistics) {
    const model::Config& config = layout_.config();
    const auto samples = static_cast<std::size_t>(microBatch_);
    const auto logits =
        static_cast<std::size_t>(config.stepsPerWindow()) * static_cast<std::size_t>(config.classes);
    const std::size_t batches = (examples_.size() + samples - 1) / samples;
    std::vector<double> losses(examples_.size());
    std::atomic<std::size_t> next = 0;
    team_.run([&](int thread) {
        TrainingNetwork& network = *networks_[static_cast<std::size_t>(thread)];
        network.setParameters(parameters);
        std::vector<float> inputs, gradient(logits);
        for (std::size_t batch = next++; batch < batches; batch = next++) {
            const std::size_t first = batch * samples;
            const std::size_t count = std::min(samples, examples_.size() - first);
            inputs.clear();
            for (std::size_t s = 0; s < samples; ++s) { // fills up the last batch
                const auto& window = examples_[first + std::min(s, count - 1)].logMel;
                inputs.insert(inputs.end(), window.begin(), window.end());
            }
            NetworkInput input;
            input.logMel = inputs;
            input.statistics = &statistics;
            const auto output = network.forward(input);
            for (std::size_t s = 0; s < count; ++s) {
                const auto own = output.subspan(s * logits, logits);
                losses[first + s] =
                    lossAndGradient(own, examples_[first + s], config.classes, {}, 1.0f, gradient);
                auto& probabilities = recordings_[first + s].probabilities;
                probabilities.resize(logits);
                std::transform(own.begin(), own.end(), probabilities.begin(), sigmoid);
            }
        }
    });
    ValidationScores scores;
    for (const double loss : losses) scores.loss += loss / static_cast<double>(losses.size());
    evaluation::EvaluationSettings settings;
    settings.psds = false;
    scores.thresholds = evaluation::chooseThresholds(recordings_, config.classes, settings.detector);
    const auto all = evaluation::evaluate(recordings_, config.classes, scores.thresholds, settings);
    scores.eventF1 = all.looseEvents.f1();
    scores.segmentF1 = all.segments.f1();
    scores.meanAveragePrecision = all.meanAveragePrecision;
    return scores;
}

} // namespace earshot::training
