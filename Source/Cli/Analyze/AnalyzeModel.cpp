#include "Cli/Analyze/AnalyzeModel.h"

#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Core/Batch/Outputs.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace earshot::cli {

namespace {

detection::DetectorOptions detectorOptions(const AnalyzeOptions& options, const AnalyzeModel& model) {
    detection::DetectorOptions how{.mode = options.mode,
                                   .hop = chooseHop(options.hop, options.mode, model),
                                   .events = model.choice.settings,
                                   .reported = {},
                                   .reading = options.reading,
                                   .thorough = options.thorough || options.explain};
    for (int i = 0; i < model.labels.count(); ++i) how.reported.push_back(model.choice.reports(i));
    return how;
}

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
    auto heard = listenFor(weights, queries, options.quiet);
    auto choice = chooseEvents(options, heard.labels);
    if (options.confidence) chooseByConfidence(options, heard.labels, choice.settings);
    AnalyzeModel model{std::move(heard), std::move(choice), {}};
    model.detector = detection::makeDetector(model, detectorOptions(options, model));
    return model;
}

batch::Fingerprint fingerprint(const AnalyzeOptions& options, const AnalyzeModel& model,
                               const formats::DatabaseModel& described) {
    const auto given = [](const std::optional<double>& value) {
        return value ? fmt::format("{}", *value) : "default";
    };
    std::vector<std::string> own = options.classThresholds;
    std::ranges::sort(own);
    return batch::fingerprint(
        model, described, detectorOptions(options, model),
        {.threshold = given(options.threshold),
         .release = given(options.releaseThreshold),
         .classThresholds = own.empty() ? "default" : fmt::format("{}", fmt::join(own, ", ")),
         .confidence = options.confidence.value_or("none"),
         .sounds = soundsOf(model),
         .minDuration = options.minDuration,
         .mergeGap = options.mergeGap,
         .median = options.median});
}

batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const AnalyzeModel& model,
                                     const formats::DatabaseModel& described) {
    detection::ActivationInfo info{.labels = described.labels,
                                   .thresholds = {},
                                   .rules = model.labels.rules(),
                                   .sebbs = {},
                                   .licence = described.licence,
                                   .model = described.file,
                                   .modelSha256 = described.sha256,
                                   .mode = detection::name(options.mode),
                                   .hop =
                                       chooseHop(options.hop, options.mode, model) * model.secondsPerToken(),
                                   .minHz = model.detector.minHz,
                                   .maxHz = model.detector.maxHz};
    if (const auto& sebbs = model.labels.sebbs()) info.sebbs = sebbs->metadata();
    for (int i = 0; i < model.labels.count(); ++i) info.thresholds.push_back(model.labels.threshold(i));
    batch::OutputKinds kinds;
    for (const auto kind : options.keepActivations) kinds.push_back(batch::activationOutput(kind, info));
    return kinds;
}

} // namespace earshot::cli
