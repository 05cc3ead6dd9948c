#include "Core/Training/Run/TrainingRun.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Training/Network/ModelMetadata.h"
#include "Core/Training/Network/Optimiser.h"
#include "Core/Training/Network/TrainerCheckpoint.h"
#include "Core/Training/Run/FinalScoring.h"
#include "Core/Training/Run/HeadTrainer.h"
#include "Core/Training/Run/KeptModel.h"
#include "Core/Training/Run/ModelCard.h"
#include "Core/Training/Run/RunStart.h"
#include "Core/Training/Run/SplitNote.h"
#include "Core/Training/Run/Trainer.h"
#include "Core/Training/Run/TrainingLog.h"
#include "Core/Training/Scenes/SceneValidator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace earshot::training {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double checkpointSeconds = 120.0;  // at most between checkpoints within an epoch
constexpr double noiseSecondsPerScene = 9.0; // half an hour for 200 validation scenes
// For each validation scene, for thresholds and boxes: thresholds chosen on 1200 scenes rather than 200 gave
// the default model an event F1 of 0.30 rather than 0.26 in others.
constexpr std::size_t choosingScenes = 6;
constexpr std::size_t scenesPerLongScene = 4; // for the bound of the two steps
constexpr double longSceneSeconds = 60.0;     // several windows
// How much longer the last scoring takes than a validation, about: it hears ten times as much, in windows of
// which four cover each moment.
constexpr double scoringOfValidation = 40.0;
// validation scenes differ from those of the training
constexpr std::uint64_t validSeedPurpose = 0x76616c6964;

class Run {
  public:
    Run(const RunSettings& settings, const RunObserver& observer)
        : settings_(settings)
        , observer_(observer)
        , files_(settings.output) {}

    RunResult run() {
        checkPlace(settings_, files_);
        DataSet set = readDataSet(settings_.data);
        checkFiles(settings_, files_, set);
        data_ = loadData(std::move(set), settings_, files_, sampleRateOf(settings_), observer_);
        notes_.fingerprint = fingerprintOf(data_->set);
        notes_.options = optionsOf(settings_);
        start_ = startingPoint(settings_, data_->set.labels);
        readTeacher();
        makeScenes();
        notes_.epochs = settings_.epochs;
        if (settings_.resume)
            readNotes();
        else if (settings_.minutes)
            notes_.epochs = epochsInTime();
        makeLearner();
        if (settings_.resume) {
            learner_->resume(files_.checkpoint);
            requireKeptModel(files_, notes_, learner_->settings(), epochsDone());
            resumable_ = true;
        }
        try {
            if (learn())
                if (auto done = finish()) return *std::move(done);
        } catch (const WriteError& error) {
            // The same command alone is refused, because it replaces no files.
            throw WriteError(fmt::format("{}. {}", error.what(),
                                         resumable_
                                             ? displayName(files_.checkpoint) +
                                                   " holds the training until then: go on with --resume"
                                             : "No step is saved yet: begin again with --overwrite"),
                             error.reach());
        }
        RunResult result;
        result.stopped = true;
        result.epochs = epochsDone();
        result.seconds = seconds();
        return result;
    }

  private:
    const ParameterLayout& layout() const { return *start_.layout; }
    std::int64_t parameterCount() const {
        std::int64_t count = 0;
        for (const Parameter& parameter : layout().parameters())
            count += static_cast<std::int64_t>(parameter.size);
        return count;
    }
    std::int64_t stepsPerEpoch() const {
        const auto batch = static_cast<double>(completed(settings_.trainer).batch);
        return std::max<std::int64_t>(1, std::llround(settings_.scenesPerEpoch / batch));
    }
    static TrainerSettings completed(TrainerSettings trainer) {
        trainer.completeBatch();
        return trainer;
    }
    int epochsDone() const { return static_cast<int>(learner_->stepsDone() / stepsPerEpoch()); }
    double seconds() const { return notes_.seconds + secondsSince(started_); }

    void readTeacher() {
        const auto unlabelled = std::ranges::count(data_->set.clips, ClipKind::unlabelled, &Clip::kind);
        if (unlabelled > 0 && !settings_.teacher.softLabels)
            throw Error(
                fmt::format("{} recordings have no labels; give a teacher's (--soft-labels), or leave "
                            "them out",
                            unlabelled));
        if (!settings_.teacher.softLabels && !settings_.teacher.embeddings) return;
        teacher_.emplace(settings_.teacher, data_->set);
        observer_.note("from a teacher: " + teacher_->summary());
        const auto unknown = teacher_->leaveOutUnknown(data_->set);
        if (unknown > 0)
            observer_.note(fmt::format("{} of {} recordings without labels are left out, because the soft "
                                       "labels have no row for them",
                                       unknown, unlabelled));
    }

    void makeScenes() {
        ExampleShape shape(layout().config());
        shape.frontend.filters = start_.melFilters;
        const auto& trainer = settings_.trainer;
        const auto sources = [&](const SceneSettings& scenes, Split split, std::uint64_t seed) {
            return sourcesOf(*data_->store, data_->set, shape, scenes, split, seed,
                             teacher_ ? &*teacher_ : nullptr);
        };
        auto scenes = settings_.scenes;
        scenes.vary(settings_.variation);
        examples_ = sources(scenes, Split::train, trainer.seed).examples;
        if (!examples_)
            throw Error("none of the recordings can be trained on; each must be of a single class, or "
                        "labelled with when its sounds begin and end");
        if (settings_.validScenes > 0) {
            validation_ = sources({}, Split::valid, seedFor(trainer.seed, validSeedPurpose, 0));
            clearScenes_ =
                sources(SceneSettings::clear(), Split::valid, seedFor(trainer.seed, validSeedPurpose, 1))
                    .scenes;
            const SceneSettings longer{.seconds = longSceneSeconds};
            longScenes_ = sources(longer, Split::valid, seedFor(trainer.seed, validSeedPurpose, 2)).scenes;
        }
        if (!validation_.examples) {
            observer_.note("nothing is validated: no thresholds are chosen, and the last epoch is kept");
            return;
        }
        validator_.emplace(layout(), *validation_.examples, static_cast<std::size_t>(settings_.validScenes),
                           trainer.threads, trainer.microBatch, trainer.arithmetic);
    }

    TrainerSettings trainerSettings() const {
        TrainerSettings trainer = settings_.trainer;
        if (teacher_) trainer.embeddingWidth = teacher_->embeddingWidth();
        trainer.steps = stepsPerEpoch() * notes_.epochs;
        trainer.warmUp = std::llround(settings_.warmUpShare * static_cast<double>(trainer.steps));
        if (settings_.from && settings_.unfreezeOver > 0.0)
            trainer.unfreezeAt =
                unfreezeEvenly(layout().config().stageCount(),
                               std::llround(settings_.unfreezeOver * static_cast<double>(trainer.steps)));
        return trainer;
    }

    void makeLearner() {
        const auto trainer = trainerSettings();
        const auto whole = completed(trainer);
        if (whole.threads < trainer.threads)
            observer_.note(
                fmt::format("{} of {} threads are used, because a step has no more scenes; a longer "
                            "--batch is another training",
                            whole.threads, trainer.threads));
        if (whole.batch != trainer.batch)
            observer_.note(
                fmt::format("a step has {} scenes rather than {}, so that its {} threads have as many "
                            "each; with another number of threads it is another training",
                            whole.batch, trainer.batch, whole.threads));
        if (!settings_.freezeEncoder) {
            learner_ =
                std::make_unique<Trainer>(layout(), *examples_, trainer, start_.values, start_.statistics);
            return;
        }
        learner_ = std::make_unique<HeadTrainer>(
            layout(), *examples_, static_cast<std::size_t>(settings_.scenesPerEpoch), trainer, start_.values,
            start_.statistics, [&](std::size_t done, std::size_t total) {
                RunProgress progress;
                progress.phase = RunPhase::listening;
                progress.done = static_cast<std::int64_t>(done);
                progress.total = static_cast<std::int64_t>(total);
                observer_.progress(progress);
                return !observer_.stopped();
            });
    }

    // As many epochs as fit, but at least one, judged by the speed of a few steps and of one validation.
    int epochsInTime() {
        constexpr int warmSteps = 2;
        constexpr int timedSteps = 6;
        RunProgress progress;
        progress.phase = RunPhase::measuring;
        progress.total = warmSteps + timedSteps;
        auto trainer = trainerSettings();
        trainer.unfreezeAt.clear();
        Trainer probe(layout(), *examples_, trainer, start_.values, start_.statistics);
        auto start = Clock::now();
        for (int i = 0; i < warmSteps + timedSteps; ++i) {
            if (i == warmSteps) start = Clock::now();
            probe.step();
            progress.done = i + 1;
            observer_.progress(progress);
        }
        double epoch = secondsSince(start) / timedSteps * static_cast<double>(stepsPerEpoch());
        if (validator_) {
            start = Clock::now();
            validator_->validate(probe.averagedParameters(), probe.statistics());
            validationSeconds_ = secondsSince(start);
            epoch += validationSeconds_ / settings_.validateEvery;
        }
        const double minutes = *settings_.minutes;
        const auto epochs = static_cast<int>((minutes * 60.0 - scoringSeconds()) / epoch);
        const auto time = fmt::format("{:g} minute{}", minutes, minutes == 1.0 ? "" : "s");
        if (epochs < 1) {
            observer_.note(fmt::format(
                "one epoch is the least: its {} scenes take about {} and the last scoring about "
                "{}, more than {}; a smaller --scenes-per-epoch or --valid-scenes makes it shorter",
                settings_.scenesPerEpoch, describeTime(epoch), describeTime(scoringSeconds()), time));
            return 1;
        }
        observer_.note(fmt::format("{} of {} scenes {} into {}",
                                   epochs == 1 ? "1 epoch" : fmt::format("{} epochs", epochs),
                                   settings_.scenesPerEpoch, epochs == 1 ? "fits" : "fit", time));
        return epochs;
    }

    void readNotes() {
        const auto wanted = std::exchange(notes_, RunNotes::read(files_.checkpoint));
        if (notes_.fingerprint != wanted.fingerprint)
            throw Error(fmt::format("{}: was trained on other recordings than there are now; give the same "
                                    "data, or train again without --resume",
                                    displayName(files_.checkpoint)));
        if (!settings_.minutes && notes_.epochs != settings_.epochs)
            throw Error(
                fmt::format("{}: was to train for {} epochs, not {}; resume with the same options, or "
                            "train again without --resume",
                            displayName(files_.checkpoint), notes_.epochs, settings_.epochs));
        // Checkpoints of earlier versions hold no options.
        if (!notes_.options.empty()) requireSameSettings(files_.checkpoint, notes_.options, wanted.options);
        notes_.options = wanted.options;
    }

    void save() {
        RunNotes notes = notes_;
        notes.seconds = seconds();
        learner_->save(files_.checkpoint, notes.asMetadata());
        saved_ = Clock::now();
        resumable_ = true;
    }

    // The model is stored already: a checkpoint that cannot be written does not keep it from being scored.
    void saveLast() {
        try {
            save();
        } catch (const WriteError& error) {
            observer_.note(fmt::format("{}; the trained model is there, and is scored", error.what()));
        }
    }

    // Returns true if it ran to its end.
    bool learn() {
        started_ = saved_ = Clock::now();
        speedStart_ = started_;
        firstStep_ = speedSteps_ = learner_->stepsDone();
        const std::int64_t steps = stepsPerEpoch() * notes_.epochs;
        while (learner_->stepsDone() < steps) {
            if (observer_.stopped()) {
                save();
                return false;
            }
            const StepReport report = learner_->step();
            notes_.lossSum += report.loss;
            notes_.embeddingSum += report.embeddingError;
            ++notes_.lossSteps;
            tellDuration(report, steps);
            showProgress(report, steps);
            if (report.step % stepsPerEpoch() == 0)
                endEpoch(report);
            else if (secondsSince(saved_) > checkpointSeconds)
                save();
        }
        return true;
    }

    // 0 before the first validation.
    double scoringSeconds() const { return scoringOfValidation * validationSeconds_; }

    double stepsPerSecond() const {
        const auto steps = static_cast<double>(learner_->stepsDone() - speedSteps_);
        return steps / std::max(1e-6, secondsSince(speedStart_));
    }

    // Says once, after the first steps, how long all of them take. Where stages are frozen at first, the
    // first steps are quicker than the others and say nothing of these.
    void tellDuration(const StepReport& report, std::int64_t steps) {
        constexpr std::int64_t timedSteps = 8;
        if (report.step - firstStep_ != std::min(timedSteps, stepsPerEpoch())) return;
        if (settings_.freezeEncoder || !learner_->settings().unfreezeAt.empty()) return;
        observer_.note(fmt::format("{:.1f} million parameters: {} steps of {} scenes take about {}, and "
                                   "validation and the last scoring besides",
                                   static_cast<double>(parameterCount()) / 1e6, steps - firstStep_,
                                   learner_->settings().batch,
                                   describeTime(static_cast<double>(steps - firstStep_) / stepsPerSecond())));
    }

    void showProgress(const StepReport& report, std::int64_t steps) {
        RunProgress progress;
        progress.phase = RunPhase::training;
        progress.done = report.step;
        progress.total = steps;
        progress.epoch = static_cast<int>((report.step - 1) / stepsPerEpoch()) + 1;
        progress.epochs = notes_.epochs;
        progress.loss = notes_.lossSum / static_cast<double>(notes_.lossSteps);
        progress.examplesPerSecond = stepsPerSecond() * learner_->settings().batch;
        const auto validations =
            validator_ ? static_cast<double>(notes_.epochs - progress.epoch) / settings_.validateEvery : 0.0;
        progress.secondsLeft = static_cast<double>(steps - report.step) / stepsPerSecond() +
                               validations * validationSeconds_ + scoringSeconds();
        observer_.progress(progress);
    }

    void endEpoch(const StepReport& report) {
        const int epoch = epochsDone();
        LogRow row;
        row.epoch = epoch;
        row.steps = report.step;
        row.examples = report.step * learner_->settings().batch;
        row.loss = notes_.lossSum / static_cast<double>(notes_.lossSteps);
        if (learner_->settings().embeddingWidth > 0)
            row.embeddingR2 = 1.0 - notes_.embeddingSum / static_cast<double>(notes_.lossSteps);
        row.rate = report.rate;
        row.gradientNorm = report.gradientNorm;
        row.examplesPerSecond = stepsPerSecond() * learner_->settings().batch;
        const bool isLast = epoch == notes_.epochs;
        if (validator_ && (epoch % settings_.validateEvery == 0 || isLast)) validate(row);
        if (!validator_ && isLast) keepModel(epoch, {});
        row.seconds = seconds();
        notes_.log.push_back(row);
        notes_.lossSum = notes_.embeddingSum = 0.0;
        notes_.lossSteps = 0;
        writeWholeFile(files_.log, logAsCsv(notes_.log));
        observer_.epochDone(row, notes_.epochs);
        if (isLast)
            saveLast();
        else if (secondsSince(saved_) > checkpointSeconds)
            save();
        speedStart_ = Clock::now();
        speedSteps_ = report.step;
    }

    void validate(LogRow& row) {
        RunProgress progress;
        progress.phase = RunPhase::validating;
        observer_.progress(progress);
        const auto start = Clock::now();
        const auto scores = validator_->validate(learner_->averagedParameters(), learner_->statistics());
        validationSeconds_ = secondsSince(start);
        row.validLoss = scores.loss;
        row.eventF1 = scores.eventF1;
        row.segmentF1 = scores.segmentF1;
        row.meanAveragePrecision = scores.meanAveragePrecision;
        // Counts both events found and sounds ranked: the first is noisy early on, the second ignores time.
        const double score = (scores.eventF1 + scores.meanAveragePrecision) / 2.0;
        if (score > notes_.bestScore || notes_.bestEpoch == 0) {
            notes_.bestScore = score;
            keepModel(row.epoch, scores.thresholds);
        }
    }

    std::string licence() const { return settings_.licence.empty() ? start_.licence : settings_.licence; }

    std::map<std::string, std::string> modelMetadata(std::span<const float> thresholds,
                                                     std::map<std::string, std::string> metadata = {}) const {
        metadata["earshot.labels"] = labelMetadata(data_->set.labels);
        if (!thresholds.empty()) metadata["earshot.thresholds"] = thresholdMetadata(thresholds);
        if (const auto text = licence(); !text.empty()) metadata["earshot.licence"] = text;
        noteSplit(settings_.data, metadata);
        noteRun(notes_, learner_->settings(), metadata);
        return metadata;
    }

    void keepModel(int epoch, std::span<const float> thresholds) {
        if (notes_.bestEpoch == 0) removeOutcome(files_, resumable_);
        notes_.bestEpoch = epoch;
        writeModel(files_.model, layout(), learner_->averagedParameters(), learner_->statistics(),
                   settings_.storage, modelMetadata(thresholds), start_.melFilters);
        notes_.modelDigest = weightsDigest(files_.model);
    }

    // Scores the stored model as it was written, then writes it again with its thresholds. Returns nothing if
    // it was stopped.
    std::optional<FinalScores> scoreKeptModel() {
        ScoringTask task;
        task.model = files_.model;
        task.scenes = validation_.scenes.get();
        task.clearScenes = clearScenes_.get();
        task.store = data_->store.get();
        task.count = static_cast<std::size_t>(settings_.validScenes);
        task.choosing = choosingScenes * task.count;
        task.longScenes = longScenes_.get();
        task.longCount = task.count / scenesPerLongScene;
        task.noiseHours = noiseSecondsPerScene * settings_.validScenes / 3600.0;
        task.threads = settings_.trainer.threads;
        task.seed = settings_.trainer.seed;
        task.noiseClasses = settings_.scenes.backgroundClasses(data_->set.labels);
        auto scores = scoreModel(task, [&](std::size_t done, std::size_t total) {
            RunProgress progress;
            progress.phase = RunPhase::scoring;
            progress.done = static_cast<std::int64_t>(done);
            progress.total = static_cast<std::int64_t>(total);
            observer_.progress(progress);
            return !observer_.stopped();
        });
        if (!scores) return std::nullopt;
        std::vector<float> values(layout().size(), 0.0f);
        const auto checkpoint = model::Checkpoint::open(files_.model);
        const auto statistics = readParameters(*checkpoint, "", layout(), true, values);
        writeModel(files_.model, layout(), values, statistics, settings_.storage,
                   modelMetadata(scores->thresholds, scores->metadata()), start_.melFilters);
        return scores;
    }

    // Returns nothing if it was stopped.
    std::optional<RunResult> finish() {
        RunResult result;
        result.epochs = notes_.epochs;
        result.seconds = seconds();
        CardFacts facts;
        if (validation_.examples) {
            facts.scores = scoreKeptModel();
            if (!facts.scores) return std::nullopt;
        }
        facts.title = files_.model.stem().string();
        facts.settings = &settings_;
        facts.trainer = &learner_->settings();
        facts.data = &data_->set;
        facts.store = data_->store.get();
        if (teacher_) facts.teacher = teacher_->summary();
        facts.config = layout().config();
        facts.parameters = parameterCount();
        std::error_code unknown;
        facts.bytes = std::filesystem::file_size(files_.model, unknown);
        if (unknown)
            throw Error(fmt::format("{}: cannot be read any more ({}); check its folder, then go on with "
                                    "--resume",
                                    displayName(files_.model), unknown.message()));
        facts.licence = licence();
        facts.imageModel = start_.imageModel;
        facts.knownClasses = start_.knownClasses;
        facts.epochs = notes_.epochs;
        facts.bestEpoch = notes_.bestEpoch;
        facts.examples = learner_->stepsDone() * learner_->settings().batch;
        facts.seconds = result.seconds;
        writeWholeFile(files_.log, logAsCsv(notes_.log));
        writeWholeFile(files_.card, modelCard(facts));
        writeWholeFile(files_.curves, drawCurves(notes_.log, "Training of " + facts.title));
        if (facts.scores) result.scores = facts.scores->scores;
        return result;
    }

    const RunSettings& settings_;
    const RunObserver& observer_;
    RunFiles files_;
    std::unique_ptr<LoadedData> data_;
    StartingPoint start_;
    std::optional<TeacherTable> teacher_;
    std::shared_ptr<const ExampleSource> examples_;
    RunSources validation_;
    std::shared_ptr<const SceneMixer> clearScenes_, longScenes_; // see ScoringTask
    std::optional<SceneValidator> validator_;
    std::unique_ptr<Learner> learner_;
    RunNotes notes_;
    Clock::time_point started_, saved_, speedStart_;
    std::int64_t firstStep_ = 0;  // done when this run began
    std::int64_t speedSteps_ = 0; // done at speedStart_
    double validationSeconds_ = 0.0;
    bool resumable_ = false; // from the checkpoint
};

} // namespace

RunResult train(const RunSettings& settings, const RunObserver& observer) {
    return Run(settings, observer).run();
}

} // namespace earshot::training
