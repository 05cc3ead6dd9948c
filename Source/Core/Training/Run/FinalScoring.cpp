#include "Core/Training/Run/FinalScoring.h"

#include "Core/Detection/Windows/CoarseBoundChoice.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Evaluation/RecordingDetector.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/ThreadPool.h"
#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Run/SebbFit.h"
#include "Core/Training/Run/Validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <memory>
#include <tuple>
#include <utility>

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

// A sound to run the model over, with its annotations.
struct Item {
    enum class Kind { scene, longScene, recording, noise } kind;
    std::size_t index;                // of the scene or noise
    const StoredClip* clip = nullptr; // of the recording
    bool chooses = false;             // true: it chooses thresholds; false: it is scored
};

std::vector<Item> itemsOf(const ScoringTask& task) {
    std::vector<Item> items;
    if (task.scenes != nullptr)
        for (std::size_t i = 0; i < task.choosing + task.count; ++i)
            items.push_back({Item::Kind::scene, i, nullptr, i < task.choosing});
    if (task.longScenes != nullptr)
        for (std::size_t i = 0; i < task.longCount; ++i) items.push_back({Item::Kind::longScene, i});
    std::size_t recordings = 0;
    for (const StoredClip& stored : task.store->clips())
        if (stored.clip->split == Split::valid && isRecording(stored))
            items.push_back({Item::Kind::recording, 0, &stored, recordings++ % 2 == 0});
    if (task.noiseHours > 0.0)
        for (std::size_t i = 0; i < noiseCount(task.noiseHours); ++i) items.push_back({Item::Kind::noise, i});
    return items;
}

evaluation::Scored listenTo(const StoredClip& stored, Listener& listener) {
    constexpr float fullScale = 32768.0f;
    std::vector<float> samples(stored.samples.size());
    std::transform(stored.samples.begin(), stored.samples.end(), samples.begin(),
                   [](std::int16_t sample) { return static_cast<float>(sample) / fullScale; });
    auto recording = listener.listen(samples);
    if (stored.clip->strong) {
        annotate(recording, annotationsFrom(stored.clip->spans));
    } else {
        recording.strong = false;
        recording.labels = stored.clip->labels;
    }
    return recording;
}

evaluation::Scores evaluateSebbs(std::span<const evaluation::Scored> recordings, int classes,
                                 const std::shared_ptr<const detection::SebbScorer>& sebbs,
                                 evaluation::EvaluationSettings settings) {
    settings.detector.sebbs = sebbs;
    const std::vector<float> least(static_cast<std::size_t>(classes), sebbs->minConfidence());
    return evaluation::evaluate(recordings, classes, least, settings);
}

} // namespace

std::optional<float> chooseBound(std::span<const evaluation::Scored> full,
                                 std::span<const evaluation::Scored> looks, std::span<const float> thresholds,
                                 const evaluation::DetectorSettings& detector) {
    assert(full.size() == looks.size());
    detection::CoarseBoundChoice choice;
    for (std::size_t i = 0; i < full.size(); ++i) {
        const evaluation::RecordingDetector recording(full[i], static_cast<int>(thresholds.size()), detector);
        choice.add(recording.events(thresholds), looks[i].probabilities, looks[i].columnSeconds, thresholds);
    }
    return choice.bound();
}

std::map<std::string, std::string> FinalScores::metadata() const {
    std::map<std::string, std::string> all;
    if (rules != detection::AuthorRules{}) all["earshot.rules"] = rules.metadata();
    if (sebbs) all["earshot.boxes"] = sebbs->metadata();
    if (coarseBound) all["earshot.coarse_bound"] = fmt::format("{}", *coarseBound);
    return all;
}

std::optional<FinalScores> scoreModel(const ScoringTask& task,
                                      const std::function<bool(std::size_t, std::size_t)>& progress) {
    const auto weights = model::loadWeights(task.model);
    const int classes = weights->config().classes;
    const auto frontend = detection::logMelSettings(*weights);
    const auto items = itemsOf(task);
    std::vector<evaluation::Scored> heard(items.size());
    std::vector<evaluation::Scored> looks(items.size()); // of long scenes

    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> stopped = false;
    tensor::ThreadPool team(task.threads);
    team.run([&](int thread) {
        const auto network = detection::makeNetworkTokenModel(weights);
        Listener listener(*network, frontend);
        const auto lookingNetwork = detection::makeNetworkTokenModel(weights);
        Listener looking(*lookingNetwork, frontend, Pace::wholeWindows);
        for (std::size_t i = next++; i < items.size() && !stopped; i = next++) {
            const Item& item = items[i];
            if (item.kind == Item::Kind::recording) {
                heard[i] = listenTo(*item.clip, listener);
            } else if (item.kind == Item::Kind::longScene) {
                const Scene scene = task.longScenes->makeScene(item.index);
                heard[i] = listener.listen(scene.samples);
                looks[i] = looking.listen(scene.samples);
            } else if (item.kind == Item::Kind::scene) {
                const bool clear = item.chooses && task.clearScenes != nullptr && item.index % 2 == 1;
                const Scene scene = (clear ? task.clearScenes : task.scenes)->makeScene(item.index);
                heard[i] = listener.listen(scene.samples);
                annotate(heard[i], annotationsFrom(scene.annotations));
            } else {
                heard[i] = listener.listen(makeNoise(item.index, frontend.sampleRate, task.seed));
                annotate(heard[i], {});
                silence(heard[i], task.noiseClasses, classes);
            }
            ++done;
            if (thread == 0 && !progress(done, items.size())) stopped = true;
        }
    });
    if (stopped) return std::nullopt;

    std::vector<evaluation::Scored> choosing, scored, noise, full;
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto& place = items[i].kind == Item::Kind::longScene ? full
                      : items[i].kind == Item::Kind::noise   ? noise
                      : items[i].chooses                     ? choosing
                                                             : scored;
        place.push_back(std::move(heard[i]));
    }
    FinalScores result;
    std::tie(result.rules, result.thresholds) = evaluation::chooseRules(choosing, classes);
    evaluation::EvaluationSettings settings;
    settings.detector.release = result.rules.release.value_or(detection::defaultRelease);
    settings.detector.mergeGap = result.rules.mergeGap;
    std::erase_if(looks, [](const evaluation::Scored& look) { return look.probabilities.empty(); });
    result.coarseBound = chooseBound(full, looks, result.thresholds, settings.detector);
    for (auto* const recordings : {&choosing, &scored})
        for (evaluation::Scored& recording : *recordings)
            evaluation::joinPauses(recording, result.rules.mergeGap);
    result.scores =
        evaluation::evaluate(scored.empty() ? choosing : scored, classes, result.thresholds, settings);
    result.sebbs = fitSebbs(choosing, classes, task.seed, result.rules.mergeGap);
    if (result.sebbs)
        result.boxScores = evaluateSebbs(scored.empty() ? choosing : scored, classes, result.sebbs, settings);
    if (noise.empty()) return result;
    settings.psds = false;
    const auto alarms = evaluation::evaluate(noise, classes, result.thresholds, settings);
    result.noiseAlarmsPerHour = alarms.falseAlarmsPerHour;
    result.noiseHours = alarms.seconds / 3600.0;
    if (result.sebbs)
        result.boxNoiseAlarmsPerHour =
            evaluateSebbs(noise, classes, result.sebbs, settings).falseAlarmsPerHour;
    result.notAlarms = task.noiseClasses;
    return result;
}

} // namespace earshot::training
