#include "Cli/Analyze/BatchReport.h"
#include "Cli/Analyze/OpenDetector.h"
#include "Cli/Analyze/PlotOutput.h"
#include "Cli/ExitCode.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchModel.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Formats/TopDocuments.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>

namespace earshot::cli {

namespace {

void checkUsage(const AnalyzeOptions& options, const batch::Inputs& inputs) {
    if (options.output)
        throw UsageError("--output and --output-dir: choose one; --joined makes one file in --output-dir");
    if (options.explain) throw UsageError("--explain is for the table alone, without --output-dir");
    if (std::ranges::any_of(inputs.recordings, &batch::Input::isStandardInput))
        throw UsageError("- (standard input) has no name for results in --output-dir; leave it out");
    if (std::ranges::count(options.formats, "table") != 0)
        throw UsageError(
            "--format table is for people to read at once; with --output-dir use csv, for example");
}

// The kinds of files that each recording gets. Another kind is one more entry.
batch::OutputKinds chooseOutputs(const AnalyzeOptions& options, const detection::Detector& detector) {
    std::set<std::string> names(options.formats.begin(), options.formats.end());
    if (names.empty()) names.insert("csv");
    batch::OutputKinds kinds;
    for (const std::string& name : names)
        if (const auto* const format = formats::formatNamed(name))
            kinds.push_back(batch::documentKind(*format));
    if (options.plot) kinds.push_back(plotKind(*options.plot, detector));
    return kinds;
}

// --top makes one more joined file, top.csv, and others in those formats that are asked for and have rows a
// recording.
std::vector<std::string> chooseJoined(const AnalyzeOptions& options) {
    std::set<std::string> names(options.joined.begin(), options.joined.end());
    if (options.top) {
        auto asked = names;
        asked.insert(options.formats.begin(), options.formats.end());
        asked.insert("csv");
        for (const std::string& document : formats::topFormats())
            if (asked.count(document) != 0) names.insert(batch::topFormat(*options.top, document));
    }
    return {names.begin(), names.end()};
}

// The sounds that are reported.
std::string soundsOf(const detection::Detector& detector) {
    if (detector.how.reported.empty()) return "all";
    std::string text;
    for (std::size_t i = 0; i < detector.labels.size(); ++i)
        if (detector.how.reported[i]) text += (text.empty() ? "" : ", ") + detector.labels[i];
    return text;
}

// Everything that results depend on, besides the recordings. described: batch::describeModel().
batch::Fingerprint fingerprint(const AnalyzeOptions& options, const detection::Detector& detector,
                               const formats::DatabaseModel& described) {
    const auto given = [](const std::optional<double>& value) {
        return value ? fmt::format("{}", *value) : "default";
    };
    std::vector<std::string> own = options.classThresholds;
    std::ranges::sort(own);
    auto all = batch::fingerprint(
        detector.model, described, detector.how,
        {.threshold = options.sensitivity ? batch::nameOfThreshold(detection::thresholdAt(
                                                static_cast<float>(*options.sensitivity)))
                                          : given(options.threshold),
         .release = given(options.releaseThreshold),
         .classThresholds = own.empty() ? "default" : fmt::format("{}", fmt::join(own, ", ")),
         .confidence = options.confidence.value_or("none"),
         .sounds = soundsOf(detector),
         .minDuration = options.minDuration.value_or(0.0),
         .mergeGap = options.mergeGap.value_or(0.0),
         .median = options.median});
    if (options.continuous) all.emplace_back("files", "continuous");
    return all;
}

// The files of all probabilities, one kind for each that --keep-activations names.
batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const detection::Detector& detector,
                                     const formats::DatabaseModel& described) {
    const auto& labels = detector.model.labels;
    detection::ActivationInfo info{.labels = described.labels,
                                   .thresholds = {},
                                   .rules = labels.rules(),
                                   .sebbs = {},
                                   .licence = described.licence,
                                   .model = described.file,
                                   .modelSha256 = described.sha256,
                                   .mode = detection::name(options.mode),
                                   .hop = detector.how.hop * detector.model.secondsPerToken(),
                                   .minHz = detector.minHz,
                                   .maxHz = detector.maxHz};
    if (const auto& sebbs = labels.sebbs()) info.sebbs = sebbs->metadata();
    for (int i = 0; i < labels.count(); ++i) info.thresholds.push_back(labels.threshold(i));
    batch::OutputKinds kinds;
    for (const auto kind : options.keepActivations) kinds.push_back(batch::activationOutput(kind, info));
    return kinds;
}

batch::BatchRequest makeRequest(const AnalyzeOptions& options, batch::Inputs inputs,
                                const detection::Detector& detector) {
    batch::BatchRequest request;
    request.folder = *options.outputDirectory;
    request.inputs = std::move(inputs);
    request.shard = options.shard;
    request.outputs = chooseOutputs(options, detector);
    request.joined = chooseJoined(options);
    request.model = batch::describeModel(detector.model);
    std::ranges::move(activationOutputs(options, detector, request.model),
                      std::back_inserter(request.outputs));
    request.fingerprint = fingerprint(options, detector, request.model);
    request.starts = options.starts;
    request.continuous = options.continuous;
    request.jobs = options.jobs;
    request.threads = options.threadsGiven ? options.threads : tensor::availableCores();
    request.restart = options.restart;
    request.overwrite = options.overwrite;
    request.forgetMissing = options.forgetMissing;
    const auto& file = detector.model.weights->file();
    request.readFiles = {file};
    if (const auto labels = detection::labelFileBeside(file)) request.readFiles.push_back(*labels);
    for (const auto& other : {options.list, options.queries.choice.listen.file, options.queries.choice.file,
                              options.queries.choice.names})
        if (other) request.readFiles.emplace_back(*other);
    return request;
}

constexpr const char* columnsHeader = "column,label,step_s\n";

// What the columns of arrays are, and how long a row lasts: an array says neither.
void writeLabels(const std::filesystem::path& file, const detection::Detector& detector) {
    std::string text = columnsHeader;
    const auto& labels = detector.labels;
    for (std::size_t i = 0; i < labels.size(); ++i)
        text += fmt::format("{},{},{}\n", i, csvField(labels[i]), detector.model.secondsPerToken());
    writeWholeFile(file, text);
}

// Throws Error if another's file is in the place of labels.csv.
void checkLabelsPlace(const std::filesystem::path& file, bool overwrite) {
    constexpr std::uint64_t maxBytes = 1 << 26;
    std::error_code failure;
    if (overwrite || !std::filesystem::exists(file, failure)) return;
    if (!readWholeFile(file, maxBytes, "table of labels").starts_with(columnsHeader))
        throw Error(displayName(file) +
                    ": is there already and is not of --keep-activations npy; move it, or use --overwrite");
}

} // namespace

int analyzeToFolder(const AnalyzeOptions& options, batch::Inputs inputs) {
    checkUsage(options, inputs);
    const auto labels = std::filesystem::path(*options.outputDirectory) / "labels.csv";
    const bool keepsArrays = std::ranges::count(options.keepActivations, detection::ActivationKind::npy) > 0;
    if (keepsArrays) checkLabelsPlace(labels, options.overwrite);
    const auto detector = openDetector(options);
    batch::Batch work(makeRequest(options, std::move(inputs), detector));
    if (work.alreadyDone() > 0 && !options.quiet)
        printNote(fmt::format("{} of {} recordings are done already", work.alreadyDone(), work.total()));

    if (keepsArrays) writeLabels(work.folder() / labels.filename(), detector);
    BatchReport report(!options.quiet);
    const auto summary = work.run(detector, [&](const batch::BatchProgress& progress) {
        report.show(progress);
        return !interrupted();
    });
    report.finish(summary, work.folder());
    if (summary.stopped) return interruption;
    return summary.failures.empty() ? success : failure;
}

} // namespace earshot::cli
