#include "Core/Training/SceneValidator.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace earshot::training {

namespace {

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

std::vector<evaluation::Annotation> annotationsFrom(std::span<const LabelledSpan> spans) {
    std::vector<evaluation::Annotation> annotations;
    for (const LabelledSpan& span : spans) annotations.push_back({span.onset, span.offset, span.label});
    return annotations;
}

} // namespace

SceneValidator::SceneValidator(const ParameterLayout& layout, const SceneMixer& mixer, std::size_t count,
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
        const auto maker = mixer.newMaker();
        for (std::size_t i = next++; i < count; i = next++) {
            maker->make(i, examples_[i]);
            recordings_[i].duration = config.windowFrames() * config.secondsPerFrame();
            recordings_[i].columnSeconds = config.secondsPerToken();
            annotate(recordings_[i], annotationsFrom(mixer.makeScene(i).annotations));
        }
    });
}

ValidationScores SceneValidator::validate(std::span<const float> parameters,
                                          const BandStatistics& statistics) {
    const model::Config& config = layout_.config();
    const auto samples = static_cast<std::size_t>(microBatch_);
    const auto logits =
        static_cast<std::size_t>(config.tokensPerWindow()) * static_cast<std::size_t>(config.classes);
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
            for (std::size_t s = 0; s < samples; ++s) { // the last batch is filled up
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
    settings.sweep = 0;
    scores.thresholds = evaluation::chooseThresholds(recordings_, config.classes, settings.detector);
    const auto all = evaluation::evaluate(recordings_, config.classes, scores.thresholds, settings);
    scores.eventF1 = all.looseEvents.f1();
    scores.segmentF1 = all.segments.f1();
    scores.meanAveragePrecision = all.meanAveragePrecision;
    return scores;
}

} // namespace earshot::training
