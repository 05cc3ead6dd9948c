#include "Core/Training/FinalScoring.h"

#include "Core/Detection/NetworkTokenModel.h"
#include "Core/Model/Weights.h"
#include "Core/Training/Team.h"
#include "Core/Training/Validation.h"

#include <atomic>
#include <memory>

namespace earshot::training {

namespace {

std::vector<evaluation::Annotation> annotationsFrom(std::span<const LabelledSpan> spans) {
    std::vector<evaluation::Annotation> annotations;
    for (const LabelledSpan& span : spans) annotations.push_back({span.onset, span.offset, span.label});
    return annotations;
}

void silence(evaluation::Scored& recording, std::span<const int> classes, int classCount) {
    for (std::size_t row = 0; row < recording.columns(classCount); ++row)
        for (const int label : classes)
            recording
                .probabilities[row * static_cast<std::size_t>(classCount) + static_cast<std::size_t>(label)] =
                0.0f;
}

} // namespace

FinalScores scoreModel(const ScoringTask& task,
                       const std::function<void(std::size_t, std::size_t)>& progress) {
    const auto weights = model::loadWeights(task.model);
    const int classes = weights->config().classes;
    const auto frontend = detection::logMelSettings(*weights);
    const std::size_t scenes = 2 * task.count;
    const std::size_t noises = task.noiseHours > 0.0 ? noiseCount(task.noiseHours) : 0;
    std::vector<evaluation::Scored> recordings(scenes + noises);

    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    Team team(task.threads);
    team.run([&](int thread) {
        const auto network = detection::makeNetworkTokenModel(weights);
        Listener listener(*network, frontend);
        for (std::size_t i = next++; i < recordings.size(); i = next++) {
            if (i < scenes) {
                const Scene scene = task.scenes->makeScene(i);
                recordings[i] = listener.listen(scene.samples);
                annotate(recordings[i], annotationsFrom(scene.annotations));
            } else {
                recordings[i] = listener.listen(makeNoise(i - scenes, frontend.sampleRate, task.seed));
                annotate(recordings[i], {});
                silence(recordings[i], task.noiseClasses, classes);
            }
            ++done;
            if (thread == 0) progress(done, recordings.size());
        }
    });

    const std::span<const evaluation::Scored> all = recordings;
    evaluation::EvaluationSettings settings;
    FinalScores result;
    result.thresholds = evaluation::chooseThresholds(all.first(task.count), classes, settings.detector);
    result.scores =
        evaluation::evaluate(all.subspan(task.count, task.count), classes, result.thresholds, settings);
    if (noises == 0) return result;
    settings.sweep = 0;
    const auto noise = evaluation::evaluate(all.subspan(scenes), classes, result.thresholds, settings);
    result.noiseAlarmsPerHour = noise.falseAlarmsPerHour;
    result.noiseHours = noise.seconds / 3600.0;
    result.notAlarms = task.noiseClasses;
    return result;
}

} // namespace earshot::training
