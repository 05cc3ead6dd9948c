#include "Cli/Commands.h"
#include "Cli/Evaluate/EvaluateOptions.h"
#include "Cli/Evaluate/EvaluationData.h"
#include "Cli/Evaluate/EvaluationReport.h"
#include "Cli/EventChoice.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Run/Validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace earshot::cli {

namespace {

using evaluation::Scored;

class Evaluation {
  public:
    // data: none for noise alone
    Evaluation(const EvaluateOptions& options, const model::ModelSource& model,
               std::optional<EvaluationData> data)
        : options_(options)
        , data_(std::move(data))
        , weights_(loadModel(model, options.precision, options.quiet))
        , heard_(listenFor(weights_, chooseQueries(options.queries, options.confidence), options.quiet))
        , labels_(heard_.labels)
        , model_(heard_.makeTokenModel())
        , listener_(
              *model_, detection::logMelSettings(*weights_),
              chooseHop(options.hop, detection::Mode::automatic, heard_.shape, heard_.secondsPerToken()),
              options.threads)
        , output_(options.output) {
        report_.model = weights_->file().filename().string();
        report_.labels = labels_.names();
        // As detection::eventSettings() has them.
        settings_.detector.release = labels_.rules().release.value_or(detection::defaultRelease);
        settings_.detector.median = options.shaping.median;
        settings_.detector.minDuration = options.shaping.minDuration;
        settings_.detector.mergeGap = std::max(options.shaping.mergeGap, labels_.rules().mergeGap);
        report_.mergeGap = settings_.detector.mergeGap;
        if (options.confidence) chooseBoxes();
    }

    int run() {
        if (data_) hearData(*data_);
        report_.thresholds = chooseThresholds();
        if (!recordings_.empty()) score();
        scoreForeign();
        if (options_.noiseHours > 0.0 && !interrupted()) hearNoise();
        report_.complete = !interrupted();
        output_.write(options_.format == ResultFormat::json  ? jsonText(report_)
                      : options_.format == ResultFormat::csv ? csvText(report_)
                                                             : tableText(report_));
        if (!report_.complete) {
            printNote(partialNote());
            output_.finishInterrupted();
            return interruption;
        }
        output_.finish();
        return report_.unheard > 0 ? failure : success;
    }

  private:
    std::string partialNote() const {
        const std::size_t all = options_.scenes > 0 ? static_cast<std::size_t>(options_.scenes)
                                : data_             ? data_->recordings.size()
                                                    : 0;
        const std::string what = options_.scenes > 0 ? "scenes" : "recordings";
        if (all == 0) return "stopped; the result is partial";
        return fmt::format("stopped; the result is partial: {} of {} {}",
                           recordings_.size() + foreign_.size(), all, what);
    }

    void chooseBoxes() {
        if (options_.thresholds != "model" || options_.shaping.median != 1)
            throw UsageError("--confidence takes the place of --thresholds and of --median; leave them out");
        settings_.detector.boxes = labels_.boxes();
        requireBoxes(settings_.detector.boxes.get());
    }

    void hearData(EvaluationData& data) {
        relateTo(labels_, data);
        report_.data = fmt::format("{} ({})", fmt::join(options_.data, ", "), data.part);
        report_.sources = data.sources;
        report_.unknown = data.unknown;
        report_.absent = data.absent;
        listProblems(data.set);
        if (options_.scenes > 0)
            hearScenes(data);
        else
            hearRecordings(data);
        for (Scored& recording : recordings_)
            recording.annotations =
                evaluation::joinOverlaps(std::move(recording.annotations), settings_.detector.mergeGap);
        report_.recordings = recordings_.size();
        for (const Scored& recording : recordings_) report_.seconds += recording.duration;
        if (recordings_.empty() && !interrupted())
            throw Error("none of the recordings could be used; see the messages above");
    }

    void listProblems(const training::DataSet& set) {
        for (const training::Problem& problem : set.problems) {
            if (problem.unread) {
                printError(problem.where + ": " + problem.what);
                ++report_.unheard;
            } else if (!options_.quiet) {
                printNote(fmt::format("warning: {}: {}", problem.where, problem.what));
            }
        }
    }

    void hearScenes(EvaluationData& data) {
        report_.scenes = true;
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
        listProblems(data.set);
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
        report_.annotated = recordings_.size();
    }

    void hearRecordings(const EvaluationData& data) {
        ProgressLine progress(!options_.quiet);
        for (std::size_t i = 0; i < data.recordings.size() && !interrupted(); ++i) {
            progress.show("recordings", i, data.recordings.size());
            try {
                hear(data.recordings[i]);
            } catch (const Error& error) {
                progress.clear();
                printError(error.what());
                ++report_.unheard;
            }
        }
    }

    void hear(const KnownRecording& known) {
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
            ++report_.annotated;
        } else if (const auto sounding = envelope(known); !sounding.empty()) {
            evaluation::annotate(recording, sounding);
            ++report_.byEnvelope;
        } else {
            ++report_.untimed;
        }
        if (known.timing == Timing::envelope) single_.push_back(recording);
        recordings_.push_back(std::move(recording));
    }

    static std::vector<evaluation::Annotation> envelope(const KnownRecording& known) {
        return known.timing == Timing::envelope ? timedByEnvelope(known)
                                                : std::vector<evaluation::Annotation>();
    }

    std::vector<evaluation::Annotation> withinRecording(const KnownRecording& known, double duration) const {
        auto annotations = known.annotations;
        const auto outside =
            std::erase_if(annotations, [&](const auto& sound) { return sound.onset >= duration; });
        for (auto& sound : annotations) sound.offset = std::min(sound.offset, duration);
        if (outside > 0 && !options_.quiet)
            printNote(fmt::format("warning: {}: {} of its sounds begin after its end and are left out",
                                  known.file.string(), outside));
        return annotations;
    }

    // Sets thresholds_. Returns a description for people.
    std::string chooseThresholds() {
        const int classes = labels_.count();
        if (settings_.detector.boxes) {
            const float least = leastConfidence(*options_.confidence, *settings_.detector.boxes);
            thresholds_.assign(static_cast<std::size_t>(classes), least);
            return fmt::format("none; the surest boxes, down to a confidence of {:.3f}", least);
        }
        if (options_.thresholds == "best") {
            if (report_.timed()) {
                thresholds_ = evaluation::chooseThresholds(recordings_, classes, settings_.detector);
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

    void score() {
        const int classes = labels_.count();
        report_.scores = evaluation::evaluate(recordings_, classes, thresholds_, settings_, foreign_);
        if (!single_.empty()) {
            report_.byPeak = evaluation::clipAccuracy(single_, classes, evaluation::ClipScore::peak);
            report_.byMean = evaluation::clipAccuracy(single_, classes, evaluation::ClipScore::mean);
        }
        if (!options_.sweep || !report_.timed()) return;
        std::vector<float> thresholds;
        for (int i = 1; i <= 19; ++i) thresholds.push_back(0.05f * static_cast<float>(i));
        report_.sweep = evaluation::sweep(recordings_, classes, thresholds, settings_.detector);
    }

    // Counts every detection in these recordings as a false alarm. isNoise: some classes may rightly be
    // called noise, and `fitting` counts them.
    FalseAlarms falseAlarms(std::string what, std::span<const Scored> recordings, bool isNoise) const {
        FalseAlarms heard;
        heard.what = std::move(what);
        heard.recordings = recordings.size();
        std::vector<std::int64_t> byClass(thresholds_.size());
        for (const Scored& recording : recordings) {
            heard.seconds += recording.duration;
            for (const auto& found :
                 evaluation::detect(recording, labels_.count(), thresholds_, settings_.detector)) {
                ++heard.alarms;
                ++byClass[static_cast<std::size_t>(found.label)];
            }
        }
        const auto most = std::ranges::max_element(byClass);
        if (isNoise)
            for (const std::string& name : training::SceneSettings().backgroundLabels)
                if (const auto c = labels_.find(name)) heard.fitting += byClass[static_cast<std::size_t>(*c)];
        if (heard.alarms > 0) heard.mostOften = labels_.name(static_cast<int>(most - byClass.begin()));
        return heard;
    }

    void scoreForeign() {
        if (!foreign_.empty())
            report_.falseAlarms.push_back(
                falseAlarms(fmt::format("{} clips of other sounds", foreign_.size()), foreign_, false));
    }

    void hearNoise() {
        ProgressLine progress(!options_.quiet);
        const auto noise = training::scoreNoise(listener_, options_.noiseHours, options_.seed,
                                                [&](std::size_t done, std::size_t total) {
                                                    progress.show("noise", done, total);
                                                    return !interrupted();
                                                });
        const auto kinds = training::noiseKinds();
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            std::vector<Scored> ofKind;
            for (std::size_t i = kind; i < noise.size(); i += kinds.size()) ofKind.push_back(noise[i]);
            if (!ofKind.empty()) report_.falseAlarms.push_back(falseAlarms(kinds[kind], ofKind, true));
        }
        report_.falseAlarms.push_back(falseAlarms("all noise", noise, true));
    }

    const EvaluateOptions& options_;
    std::optional<EvaluationData> data_;
    std::shared_ptr<const model::Weights> weights_;
    detection::ListeningModel heard_;
    detection::Labels labels_;
    std::unique_ptr<detection::TokenModel> model_;
    training::Listener listener_;
    OutputStream output_;
    // Scored recordings: the model knows a sound in them, or the data says that there is none
    std::vector<Scored> recordings_;
    std::vector<Scored> single_;    // those of recordings_ with one class
    std::vector<Scored> foreign_;   // clips of sounds the model does not know
    std::vector<float> thresholds_; // by class
    evaluation::EvaluationSettings settings_;
    EvaluationReport report_;
};

void refuseNonsense(const EvaluateOptions& options) {
    if (options.data.empty() && options.noiseHours <= 0.0)
        throw UsageError("nothing to evaluate on; name labelled recordings with --data, or ask for --noise");
    if (options.data.empty() && options.scenes > 0)
        throw UsageError("--scenes needs clips to mix; name them with --data");
}

void checkFiles(const EvaluateOptions& options, const std::filesystem::path& model,
                const std::optional<EvaluationData>& data) {
    if (!options.output) return;
    OutputCheck files;
    addOutput(files, options.output);
    addModel(files, model);
    for (const auto& source : options.data) files.reads(source, "the data");
    for (const auto& file : filesOf(options.queries.choice)) files.reads(file, "the queries");
    if (data)
        for (const auto& file : data->set.files) files.reads(file, "a recording of the data");
    requireSafe(files, options.overwrite);
}

int evaluate(const EvaluateOptions& options) {
    refuseNonsense(options);
    const auto model = locateModel(options.model);
    std::optional<EvaluationData> data;
    if (!options.data.empty()) data = readEvaluationData(options, model.file);
    checkFiles(options, model.file, data);
    tensor::setThreadCount(options.threads);
    return Evaluation(options, model, std::move(data)).run();
}

} // namespace

Command makeEvaluateCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("evaluate", "Score a model on labelled recordings: events, seconds, PSDS");
    const auto options = std::make_shared<EvaluateOptions>();
    addEvaluateOptions(*command, *options);
    return {command, [options] { return evaluate(*options); }};
}

} // namespace earshot::cli
