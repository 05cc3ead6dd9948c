#include "Cli/Evaluate/EvaluatedModel.h"

#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Evaluation/Scores.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Run/FinalScoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace earshot::cli {

using evaluation::Scored;

EvaluatedModel::EvaluatedModel(const EvaluateOptions& options, const model::ModelSource& model)
    : options_(options)
    , weights_(loadModel(model, options.precision, options.quiet))
    , heard_(listenFor(weights_, chooseQueries(options.queries, options.confidence), options.quiet))
    , labels_(heard_.labels)
    , model_(heard_.makeTokenModel())
    , listener_(*model_, detection::logMelSettings(*weights_),
                chooseHop(options.hop, detection::Mode::automatic, heard_), options.threads) {
    // As detection::eventSettings() has them.
    detector_.release = labels_.rules().release.value_or(detection::defaultRelease);
    detector_.median = options.shaping.median;
    detector_.minDuration = options.shaping.minDuration.value_or(0.0);
    detector_.mergeGap = std::max(options.shaping.mergeGap.value_or(0.0), labels_.rules().mergeGap);
    if (options.confidence) chooseSebbs();
    if (!options.writeBound) return;
    lookingModel_ = heard_.makeTokenModel();
    looking_.emplace(*lookingModel_, detection::logMelSettings(*weights_), training::Pace::wholeWindows);
}

std::optional<float> EvaluatedModel::chooseBound() const {
    return training::chooseBound(recordings_, looks_, thresholds_, detector_);
}

std::string EvaluatedModel::precision() const { return std::string(model::plainName(weights_->precision())); }

void EvaluatedModel::scoreOnly(std::vector<int> classes, double mergeGap) {
    detector_.only = std::move(classes);
    detector_.mergeGap = mergeGap;
}

evaluation::ModelOutput EvaluatedModel::output() const {
    return {.recordings = recordings_,
            .others = foreign_,
            .classes = labels_.count(),
            .detector = detector_,
            .thresholds = thresholds_};
}

void EvaluatedModel::chooseSebbs() {
    if (options_.thresholds != "model" || options_.shaping.median != 1)
        throw UsageError("--confidence takes the place of --thresholds and of --median; leave them out");
    detector_.sebbs = labels_.sebbs();
    requireSebbs(detector_.sebbs.get());
}

std::size_t listProblems(const EvaluateOptions& options, const training::DataSet& set) {
    std::size_t unread = 0;
    for (const training::Problem& problem : set.problems) {
        if (problem.unread) {
            printError(problem.where + ": " + problem.what);
            ++unread;
        } else if (!options.quiet) {
            printNote(fmt::format("warning: {}: {}", problem.where, problem.what));
        }
    }
    return unread;
}

void EvaluatedModel::analyse(EvaluationData& data, const std::vector<std::size_t>* only) {
    again_ = only != nullptr;
    relateTo(labels_, data, detector_.only);
    if (only != nullptr && options_.scenes == 0) {
        std::vector<KnownRecording> chosen;
        for (const std::size_t place : *only) chosen.push_back(data.recordings[place]);
        data.recordings = std::move(chosen);
    }
    if (options_.scenes > 0)
        hearScenes(data);
    else
        hearRecordings(data);
    for (Scored& recording : recordings_) evaluation::joinPauses(recording, detector_.mergeGap);
}

void EvaluatedModel::hearScenes(EvaluationData& data) {
    makeDistractors(data);
    data.set.problems.clear();
    ProgressLine progress(!options_.quiet);
    std::optional<training::ClipStore> store;
    try {
        store.emplace(data.set, listener_.sampleRate(), options_.threads,
                      [&](std::size_t done, std::size_t total) {
                          progress.show("reading clips", done, total);
                          return !interrupted();
                      });
    } catch (const Error&) {
        if (!interrupted()) throw;
        return;
    }
    tensor::setThreadCount(options_.threads);
    progress.clear();
    if (!again_) used_.unheard += listProblems(options_, data.set);
    training::ExampleShape shape(weights_->config());
    shape.frontend = detection::logMelSettings(*weights_);
    training::SceneSettings settings;
    settings.seconds = options_.sceneSeconds;
    options_.sceneOptions.applyTo(settings);
    const training::SceneMixer mixer(*store, data.set, shape, settings, training::Split::valid,
                                     options_.seed);
    recordings_ = training::scoreScenes(listener_, mixer, static_cast<std::size_t>(options_.scenes),
                                        data.classOf, [&](std::size_t done, std::size_t total) {
                                            progress.show("scenes", done, total);
                                            return !interrupted();
                                        });
    used_.annotated = recordings_.size();
    if (!looking_ || interrupted()) return;
    looks_ = training::scoreScenes(*looking_, mixer, recordings_.size(), data.classOf,
                                   [&](std::size_t done, std::size_t total) {
                                       progress.show("scenes again", done, total);
                                       return !interrupted();
                                   });
}

void EvaluatedModel::hearRecordings(const EvaluationData& data) {
    ProgressLine progress(!options_.quiet);
    for (std::size_t i = 0; i < data.recordings.size() && !interrupted(); ++i) {
        progress.show("recordings", i, data.recordings.size());
        try {
            hearOne(data.recordings[i]);
            if (!interrupted()) places_.push_back(i);
        } catch (const Error& error) {
            progress.clear();
            printError(error.what());
            ++used_.unheard;
        }
    }
}

namespace {

std::vector<evaluation::Annotation> envelopeOf(const KnownRecording& known) {
    return known.timing == Timing::envelope ? timedByEnvelope(known) : std::vector<evaluation::Annotation>();
}

} // namespace

void EvaluatedModel::hearOne(const KnownRecording& known) {
    audio::AudioFile file(known.file, Pipes::refused, known.reading);
    const auto summary =
        detection::analyzeFile(file, listener_.analyzer(), listener_.sampleRate(),
                               [](double, const std::optional<double>&) { return !interrupted(); });
    if (summary.stopped) return;
    // The part after the damage would count as missed.
    if (summary.failure) throw Error(*summary.failure);
    Scored recording = listener_.heard();
    if (known.foreign()) {
        evaluation::annotate(recording, {});
        foreign_.push_back(std::move(recording));
        return;
    }
    recording.labels = known.labels;
    recording.strong = false;
    if (known.timing == Timing::annotated) {
        evaluation::annotate(recording, withinRecording(known, recording.duration));
        ++used_.annotated;
    } else if (const auto sounding = envelopeOf(known); !sounding.empty()) {
        evaluation::annotate(recording, sounding);
        ++used_.byEnvelope;
    } else {
        ++used_.untimed;
    }
    recording.clip = known.timing == Timing::envelope;
    if (looking_) {
        audio::AudioFile again(known.file, Pipes::refused, known.reading);
        detection::analyzeFile(again, looking_->analyzer(), looking_->sampleRate());
        looks_.push_back(looking_->heard());
    }
    recordings_.push_back(std::move(recording));
}

std::vector<evaluation::Annotation> EvaluatedModel::withinRecording(const KnownRecording& known,
                                                                    double duration) {
    auto annotations = known.annotations;
    const auto outside =
        std::erase_if(annotations, [&](const auto& sound) { return sound.onset >= duration; });
    for (auto& sound : annotations) sound.offset = std::min(sound.offset, duration);
    for (const auto& sound : annotations)
        if (sound.offset <= sound.onset) ++used_.moments[sound.label];
    if (outside > 0 && !options_.quiet && !again_)
        printNote(fmt::format("warning: {}: {} of its sounds begin after its end and are left out",
                              known.file.string(), outside));
    return annotations;
}

std::string EvaluatedModel::chooseThresholds() {
    const int classes = labels_.count();
    if (detector_.sebbs) {
        const float least = minConfidence(*options_.confidence, *detector_.sebbs);
        thresholds_.assign(static_cast<std::size_t>(classes), least);
        return fmt::format("none; the surest boxes, down to a confidence of {:.3f}", least);
    }
    if (options_.thresholds == "best") {
        if (used_.annotated + used_.byEnvelope > 0) {
            thresholds_ = evaluation::chooseThresholds(recordings_, classes, detector_);
            return "chosen on this very data, for the best event F1 (0.5 s) of all sounds together";
        }
        if (!interrupted())
            throw UsageError("--thresholds best needs recordings whose sounds have times; use model, or "
                             "a probability");
    }
    const auto probability = parseNumber(options_.thresholds);
    if (probability) {
        thresholds_.assign(static_cast<std::size_t>(classes), static_cast<float>(*probability));
        return fmt::format("{:.2f} for every sound", *probability);
    }
    // The thresholds that analyze uses.
    const auto settings = detection::eventSettings({}, labels_);
    bool own = false;
    for (int c = 0; c < classes; ++c) {
        thresholds_.push_back(settings.ruleFor(c).on);
        own = own || labels_.threshold(c).has_value();
    }
    return own ? fmt::format("the model's own for each sound, else {:.2f}", detection::defaultThreshold)
               : fmt::format("{:.2f} for every sound (the model has none of its own)",
                             detection::defaultThreshold);
}

} // namespace earshot::cli
