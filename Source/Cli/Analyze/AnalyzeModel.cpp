#include "Cli/Analyze/AnalyzeModel.h"

#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Version.h"
#include "Core/Batch/Outputs.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace earshot::cli {

namespace {

detection::Detector makeDetector(const AnalyzeOptions& options, const AnalyzeModel& model) {
    const auto& config = model.weights->config();
    const int hop = chooseHop(options.hop, options.mode, model.shape, model.secondsPerToken());
    detection::Detector detector;
    detector.makeAnalyzer = [weights = model.weights, makeTokenModel = model.makeTokenModel,
                             mode = options.mode, hop](int threads) {
        tensor::setThreadCount(threads);
        return std::make_unique<detection::Analyzer>(
            makeTokenModel(), detection::logMelSettings(*weights),
            detection::AnalyzerSettings{.mode = mode, .hopTokens = hop, .threads = threads});
    };
    detector.modelRate = config.sampleRate;
    detector.settings = model.choice.settings;
    for (int i = 0; i < model.labels.count(); ++i) detector.reported.push_back(model.choice.reports(i));
    detector.labels = model.labels.names();
    const auto range = detection::heardRange(*model.weights);
    detector.lowestHz = range.lowest;
    detector.highestHz = range.highest;
    return detector;
}

std::string number(double value) { return fmt::format("{}", value); }

std::string soundsOf(const AnalyzeModel& model) {
    if (model.choice.only.empty()) return "all";
    std::string text;
    for (const int i : model.choice.only) text += (text.empty() ? "" : ", ") + model.labels.name(i);
    return text;
}

} // namespace

AnalyzeModel openModel(const AnalyzeOptions& options) {
    const auto queries = chooseQueries(options.queries, options.confidence);
    const auto weights = loadModel(locateModel(options.model), options.precision, options.quiet);
    tensor::setThreadCount(options.threads); // of texts
    auto heard = detection::makeListeningModel(weights, queries);
    auto choice = chooseEvents(options, heard.labels);
    if (options.confidence) chooseByConfidence(options, heard.labels, choice.settings);
    AnalyzeModel model{std::move(heard), std::move(choice), {}};
    model.detector = makeDetector(options, model);
    return model;
}

formats::DatabaseModel describeModel(const AnalyzeModel& model) {
    return {.file = model.weights->file().filename().string(),
            .sha256 = sha256OfFile(model.weights->file()),
            .licence = model.labels.licence(),
            .labels = model.labels.names()};
}

batch::Fingerprint fingerprint(const AnalyzeOptions& options, const AnalyzeModel& model,
                               const formats::DatabaseModel& described) {
    const int hop = chooseHop(options.hop, options.mode, model.shape, model.secondsPerToken());
    const auto given = [](const std::optional<double>& value) { return value ? number(*value) : "default"; };
    std::vector<std::string> own = options.classThresholds;
    std::ranges::sort(own);
    return {{"earshot", std::string(version())},
            {"model", described.sha256},
            {"precision", std::string(model::plainName(model.weights->precision()))},
            {"mode", detection::name(options.mode)},
            {"hop", fmt::format("{:.2f} s", hop * model.secondsPerToken())},
            {"queries", model.queries},
            {"threshold", given(options.threshold)},
            {"release threshold", given(options.releaseThreshold)},
            {"class thresholds", own.empty() ? "default" : fmt::format("{}", fmt::join(own, ", "))},
            {"confidence", options.confidence.value_or("none")},
            {"sounds", soundsOf(model)},
            {"shortest event", number(options.minDuration) + " s"},
            {"merge gap", number(options.mergeGap) + " s"},
            {"median", std::to_string(options.median)},
            // The labels may come from a file beside the model, which the model's hash does not cover.
            {"labels", sha256(fmt::format("{}", fmt::join(described.labels, "\n")))}};
}

batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const AnalyzeModel& model,
                                     const formats::DatabaseModel& described) {
    detection::ActivationInfo info{
        .labels = described.labels,
        .thresholds = {},
        .rules = model.labels.rules(),
        .boxes = {},
        .licence = described.licence,
        .model = described.file,
        .modelSha256 = described.sha256,
        .mode = detection::name(options.mode),
        .hop = chooseHop(options.hop, options.mode, model.shape, model.secondsPerToken()) *
               model.secondsPerToken(),
        .lowestHz = model.detector.lowestHz,
        .highestHz = model.detector.highestHz};
    if (const auto& boxes = model.labels.boxes()) info.boxes = boxes->metadata();
    for (int i = 0; i < model.labels.count(); ++i) info.thresholds.push_back(model.labels.threshold(i));
    batch::OutputKinds kinds;
    for (const auto kind : options.keepActivations) kinds.push_back(batch::activationOutput(kind, info));
    return kinds;
}

} // namespace earshot::cli
