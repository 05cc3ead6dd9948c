#include "Cli/Commands.h"
#include "Cli/Evaluate/EvaluateOptions.h"
#include "Cli/Evaluate/EvaluatedModel.h"
#include "Cli/Evaluate/EvaluationData.h"
#include "Cli/Evaluate/EvaluationReport.h"
#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/CoarseBoundChoice.h"
#include "Core/Evaluation/Resampling.h"
#include "Core/Model/Reading/MetadataEditor.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Run/Validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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
               const std::optional<model::ModelSource>& against, std::optional<EvaluationData> data)
        : options_(options)
        , data_(std::move(data))
        , model_(options, model)
        , output_(options.output) {
        if (against) {
            other_ = std::make_unique<EvaluatedModel>(options_, *against);
            meet();
        }
        report_.model = model_.name();
        report_.precision = model_.precision();
        report_.labels = model_.labels().names();
        report_.mergeGap = model_.detector().mergeGap;
        report_.seed = options.seed;
    }

    int run() {
        if (data_) hearData(*data_);
        report_.thresholds = model_.chooseThresholds();
        if (!model_.recordings().empty()) score();
        if (options_.writeBound && !interrupted()) writeBound();
        scoreForeign();
        if (options_.noiseHours > 0.0 && !interrupted()) hearNoise();
        if (options_.bootstrap > 0 && !interrupted()) resample();
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
        return report_.used.unheard > 0 ? failure : success;
    }

  private:
    // Both models score the sounds that both know, by one merge gap.
    void meet() {
        std::vector<int> own, others;
        for (int c = 0; c < model_.labels().count(); ++c)
            if (const auto same = other_->labels().find(model_.labels().name(c))) {
                own.push_back(c);
                others.push_back(*same);
            }
        if (own.empty())
            throw Error(
                fmt::format("{} and {} have no sound in common; 'earshot info' lists the sounds of each",
                            displayName(model_.name()), displayName(other_->name())));
        if (options_.scenes > 0 && model_.listener().sampleRate() != other_->listener().sampleRate())
            throw UsageError("--scenes mixes at the model's sample rate, and these models have two; compare "
                             "them on recordings");
        const double gap = std::max(model_.detector().mergeGap, other_->detector().mergeGap);
        report_.compared.sounds = own.size();
        model_.scoreOnly(std::move(own), gap);
        other_->scoreOnly(std::move(others), gap);
    }

    std::string partialNote() const {
        const std::size_t all = options_.scenes > 0 ? static_cast<std::size_t>(options_.scenes)
                                : data_             ? data_->recordings.size()
                                                    : 0;
        const std::string what = options_.scenes > 0 ? "scenes" : "recordings";
        if (all == 0) return "stopped; the result is partial";
        return fmt::format("stopped; the result is partial: {} of {} {}",
                           model_.recordings().size() + model_.foreign().size(), all, what);
    }

    void hearData(EvaluationData& data) {
        std::optional<EvaluationData> copy;
        if (other_) copy = data;
        const std::size_t unread = listProblems(options_, data.set);
        model_.analyse(data);
        report_.data = fmt::format("{} ({})", fmt::join(options_.data, ", "), data.part);
        report_.scenes = options_.scenes > 0;
        report_.sources = data.sources;
        report_.unknown = data.unknown;
        report_.absent = data.absent;
        report_.used = model_.used();
        report_.used.unheard += unread;
        report_.recordings = model_.recordings().size();
        for (const Scored& recording : model_.recordings()) report_.seconds += recording.duration;
        if (model_.recordings().empty() && !interrupted())
            throw Error("none of the recordings could be used; see the messages above");
        if (copy && !interrupted()) hearAgain(*std::move(copy));
    }

    // The other model gets the recordings that this one could read.
    void hearAgain(EvaluationData data) {
        other_->analyse(data, &model_.places());
        if (interrupted()) return;
        report_.compared.model = other_->name();
        report_.compared.precision = other_->precision();
        report_.compared.thresholds = other_->chooseThresholds();
        const auto alike = [](const Scored& one, const Scored& other) {
            return std::abs(one.duration - other.duration) < 0.1 &&
                   one.annotations.size() == other.annotations.size();
        };
        if (!std::ranges::equal(model_.recordings(), other_->recordings(), alike) ||
            model_.foreign().size() != other_->foreign().size())
            throw Error("the two models did not read the same recordings; see the messages above");
    }

    void score() {
        const int classes = model_.labels().count();
        report_.scores =
            evaluation::evaluate(model_.recordings(), classes, model_.thresholds(),
                                 {.detector = model_.detector(), .psds = true}, model_.foreign());
        if (std::ranges::any_of(model_.recordings(), &evaluation::Scored::clip)) {
            report_.byPeak =
                evaluation::clipAccuracy(model_.recordings(), classes, evaluation::ClipScore::peak);
            report_.byMean =
                evaluation::clipAccuracy(model_.recordings(), classes, evaluation::ClipScore::mean);
        }
        if (!options_.sweep || !report_.timed()) return;
        std::vector<float> thresholds;
        for (int i = 1; i <= 19; ++i) thresholds.push_back(0.05f * static_cast<float>(i));
        report_.sweep = evaluation::sweep(model_.recordings(), classes, thresholds, model_.detector());
    }

    void writeBound() {
        const auto bound = model_.chooseBound();
        if (!bound)
            throw Error(
                fmt::format("--write-bound needs {} events that the model finds, and these recordings have "
                            "fewer; take more of them, or more --scenes",
                            detection::CoarseBoundChoice::minEvents));
        model::copyWithMetadata(model_.file(), *options_.writeBound, "earshot.coarse_bound",
                                fmt::format("{}", *bound));
        if (!options_.quiet)
            printNote(fmt::format("wrote the model with a bound of {} to {}", *bound, *options_.writeBound));
    }

    void resample() {
        ProgressLine progress(!options_.quiet);
        const evaluation::ResamplingSettings settings = {
            .draws = static_cast<std::size_t>(options_.bootstrap),
            .seed = options_.seed,
            .progress = [&](double done) {
                progress.show("draws", static_cast<std::size_t>(done * options_.bootstrap),
                              static_cast<std::size_t>(options_.bootstrap));
                return !interrupted();
            }};
        if (other_)
            report_.comparison = evaluation::compareModels(model_.output(), other_->output(), settings);
        else
            report_.resampled = evaluation::bootstrap(model_.output(), settings);
        if (report_.comparison) report_.resampled = report_.comparison->models[0];
        if (report_.resampled) report_.draws = settings.draws;
    }

    // Counts every detection in these recordings as a false alarm. isNoise: some classes may rightly be
    // called noise, and `fitting` counts them.
    FalseAlarms falseAlarms(std::string what, std::span<const Scored> recordings, bool isNoise) const {
        FalseAlarms heard;
        heard.what = std::move(what);
        heard.recordings = recordings.size();
        std::vector<std::int64_t> byClass(model_.thresholds().size());
        for (const Scored& recording : recordings) {
            heard.seconds += recording.duration;
            for (const auto& found : evaluation::detect(recording, model_.labels().count(),
                                                        model_.thresholds(), model_.detector())) {
                ++heard.alarms;
                ++byClass[static_cast<std::size_t>(found.label)];
            }
        }
        const auto most = std::ranges::max_element(byClass);
        if (isNoise)
            for (const std::string& name : training::SceneSettings().backgroundLabels)
                if (const auto c = model_.labels().find(name))
                    heard.fitting += byClass[static_cast<std::size_t>(*c)];
        if (heard.alarms > 0)
            heard.mostOften = model_.labels().name(static_cast<int>(most - byClass.begin()));
        return heard;
    }

    void scoreForeign() {
        if (!model_.foreign().empty())
            report_.falseAlarms.push_back(falseAlarms(
                fmt::format("{} clips of other sounds", model_.foreign().size()), model_.foreign(), false));
    }

    void hearNoise() {
        ProgressLine progress(!options_.quiet);
        const auto noise = training::scoreNoise(model_.listener(), options_.noiseHours, options_.seed,
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
    EvaluatedModel model_;
    std::unique_ptr<EvaluatedModel> other_; // --against
    OutputStream output_;
    EvaluationReport report_;
};

void refuseNonsense(const EvaluateOptions& options) {
    if (options.data.empty() && options.noiseHours <= 0.0)
        throw UsageError("nothing to evaluate on; name labelled recordings with --data, or ask for --noise");
    if (options.writeBound && (options.data.empty() || options.against || options.confidence || options.hop))
        throw UsageError(
            "--write-bound chooses on --data, with the model's own hop and thresholds: leave out "
            "--against, --confidence and --hop");
    if (options.data.empty() && options.scenes > 0)
        throw UsageError("--scenes needs clips to mix; name them with --data");
    const char* const resampling = options.against ? "--against" : "--bootstrap";
    if (options.data.empty() && (options.against || options.bootstrap > 0))
        throw UsageError(fmt::format("{} draws recordings; name them with --data", resampling));
    if (options.against && options.noiseHours > 0.0)
        throw UsageError("--noise counts false alarms of one model; leave it out with --against");
    if ((options.against || options.bootstrap > 0) && options.sweep && options.format == ResultFormat::csv)
        throw UsageError(fmt::format("--format csv is one table: take --sweep or {}", resampling));
}

void checkFiles(const EvaluateOptions& options, const std::filesystem::path& model,
                const std::optional<model::ModelSource>& against, const std::optional<EvaluationData>& data) {
    if (!options.output && !options.writeBound) return;
    OutputCheck files;
    addOutput(files, options.output);
    if (options.writeBound) files.writes(*options.writeBound);
    addModel(files, model);
    if (against) addModel(files, against->file);
    for (const auto& source : options.data) files.reads(source, "the data");
    for (const auto& file : filesOf(options.queries.choice)) files.reads(file, "the queries");
    if (data)
        for (const auto& file : data->set.files) files.reads(file, "a recording of the data");
    requireSafe(files, options.overwrite);
}

int evaluate(const EvaluateOptions& given) {
    refuseNonsense(given);
    EvaluateOptions options = given;
    constexpr int usualDraws = 1000;
    if (options.against && options.bootstrap == 0) options.bootstrap = usualDraws;
    const auto model = locateModel(options.model);
    std::optional<model::ModelSource> against;
    if (options.against) against = locateModel({options.against, options.model.reading});
    std::optional<EvaluationData> data;
    if (!options.data.empty()) data = readEvaluationData(options, model.file);
    checkFiles(options, model.file, against, data);
    tensor::setThreadCount(options.threads);
    return Evaluation(options, model, against, std::move(data)).run();
}

} // namespace

Command makeEvaluateCommand(CLI::App& program) {
    CLI::App* command =
        program.add_subcommand("evaluate", "Score a model on labelled recordings (events, segments, PSDS)");
    const auto options = std::make_shared<EvaluateOptions>();
    addEvaluateOptions(*command, *options);
    return {command, [options] { return evaluate(*options); }};
}

} // namespace earshot::cli
