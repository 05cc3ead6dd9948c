#include "Cli/Analyze/KeepActivations.h"

#include "Cli/Analyze/HopChoice.h"
#include "Core/Batch/ActivationOutput.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

namespace earshot::cli {

CLI::Option* addKeepActivationsOption(CLI::App& command, std::vector<detection::ActivationKind>& kinds) {
    const auto take = [&kinds](const std::string& text) {
        // Without a value it is empty, or "true" with other versions of CLI11.
        const bool npy = text == "npy";
        if (!npy && !text.empty() && text != "safetensors" && text != "true")
            throw CLI::ValidationError(
                "--keep-activations",
                "'" + text + "' is neither safetensors nor npy; put recordings before this option");
        const auto kind = npy ? detection::ActivationKind::npy : detection::ActivationKind::safetensors;
        if (std::ranges::count(kinds, kind) == 0) kinds.push_back(kind);
    };
    return command
        .add_option_function<std::vector<std::string>>(
            "--keep-activations",
            [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); },
            "Also keep all probabilities of each recording, for 'earshot events' (safetensors, the\n"
            "default) or for NumPy (npy); about 12 MB an hour for 527 sounds, npy twice that")
        ->expected(0, 1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("[safetensors|npy]");
}

batch::OutputKinds activationOutputs(const AnalyzeOptions& options, const AnalyzeModel& model,
                                     const formats::DatabaseModel& described) {
    detection::ActivationInfo info{
        .labels = described.labels,
        .thresholds = {},
        .boxes = {},
        .licence = described.licence,
        .model = described.file,
        .modelSha256 = described.sha256,
        .mode = detection::name(options.mode),
        .hop = chooseHop(options.hop, options.mode, model.shape, model.secondsPerToken()) *
               model.secondsPerToken(),
        .lowestHz = model.detector.lowestHz,
        .highestHz = model.detector.highestHz};
    if (!options.queries.file)
        if (const auto boxes = boxesOf(*model.weights)) info.boxes = boxes->metadata();
    for (int i = 0; i < model.labels.count(); ++i) info.thresholds.push_back(model.labels.threshold(i));
    batch::OutputKinds kinds;
    for (const auto kind : options.keepActivations) kinds.push_back(batch::activationOutput(kind, info));
    return kinds;
}

} // namespace earshot::cli
