#include "Cli/ExitCode.h"
#include "Cli/Train/TrainOptions.h"
#include "Core/Model/ModelLocator.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::cli {

namespace {

// "Dog,Cat" are two; a comma with a blank behind it belongs to the name ("Gunshot, explosion").
std::vector<std::string> namesOf(const std::vector<std::string>& lists) {
    std::vector<std::string> names;
    for (const std::string& list : lists) {
        std::string name;
        for (std::size_t i = 0; i <= list.size(); ++i) {
            const bool isEnd =
                i == list.size() || (list[i] == ',' && (i + 1 == list.size() || list[i + 1] != ' '));
            if (!isEnd) {
                name += list[i];
                continue;
            }
            if (!name.empty()) names.push_back(name);
            name.clear();
        }
    }
    return names;
}

training::Arithmetic arithmeticOf(const std::string& name) {
    if (name == "auto") return training::bestArithmetic();
    if (name == "float32") return training::Arithmetic::float32;
    if (training::bestArithmetic() != training::Arithmetic::bfloat16)
        throw UsageError("--arithmetic: this CPU does not multiply bfloat16; use auto or float32");
    return training::Arithmetic::bfloat16;
}

std::filesystem::path startModel(const std::string& from) {
    if (from == "default") return model::defaultModel("name a model with --from");
    std::error_code failure;
    if (!std::filesystem::exists(from, failure))
        throw UsageError("--from: " + from +
                         ": no such model file; check the name, or say 'default' for Earshot's own");
    return from;
}

model::Config newNetwork(const TrainOptions& options) {
    model::Config config;
    config.embedDim = options.width;
    config.depths = options.depths;
    config.heads = options.heads;
    try {
        config.validate();
    } catch (const std::exception& problem) {
        throw UsageError(std::string("--width, --depths, --heads: ") + problem.what());
    }
    return config;
}

} // namespace

training::RunSettings runSettings(const TrainOptions& options) {
    const bool head = options.freeze.has_value();
    const bool tuning = options.from && !head;
    if (options.resume && options.overwrite)
        throw UsageError("--resume goes on with a training and --overwrite begins a new one; choose one");
    if (head && options.unfreezeOver)
        throw UsageError("--freeze encoder keeps the encoder as it is; leave --unfreeze-over out");
    if (head && options.minutes)
        throw UsageError("--freeze encoder takes minutes anyway; leave --minutes out, or set --epochs");

    training::RunSettings run;
    run.data.sources.assign(options.data.begin(), options.data.end());
    run.data.distractors = namesOf(options.distractors);
    run.data.only = namesOf(options.only);
    run.data.validShare = options.validPercent / 100.0;
    run.data.fewestClips = options.fewestClips;
    run.data.seed = options.seed;
    options.scenes.applyTo(run.scenes);
    run.scenes.filterRange = static_cast<float>(options.filterRange);
    run.scenes.vary(static_cast<float>(options.variation));
    run.output = options.output;
    run.overwrite = options.overwrite;
    run.resume = options.resume;
    run.licence = options.licence;
    run.storage = options.storage;

    if (options.from)
        run.from = startModel(*options.from);
    else
        run.network = newNetwork(options);
    run.freezeEncoder = head;
    if (tuning) run.unfreezeOver = options.unfreezeOver.value_or(0.3);

    run.epochs = options.epochs.value_or(head ? 20 : tuning ? 15 : 40);
    run.scenesPerEpoch = options.scenesPerEpoch.value_or(2000);
    run.minutes = options.minutes;
    run.validScenes = options.validScenes.value_or(head ? 100 : 200);
    run.validateEvery = options.validateEvery.value_or(head ? 4 : 1);
    run.warmUpShare = options.warmUp;

    training::TrainerSettings& trainer = run.trainer;
    trainer.threads = options.threads;
    trainer.arithmetic = arithmeticOf(options.arithmetic);
    trainer.batch = options.batch.value_or(head ? 32 : 8);
    trainer.microBatch = std::clamp(trainer.batch / trainer.threads, 1, trainer.microBatch);
    trainer.peakRate = options.rate.value_or(head ? 3e-3 : 3e-4);
    trainer.finalRate = trainer.peakRate / 100.0;
    trainer.weightDecay = options.weightDecay;
    trainer.clipNorm = options.clip;
    trainer.average = options.average.value_or(options.from ? 0.99 : 0.999);
    trainer.dropPath = static_cast<float>(options.dropPath);
    trainer.mixup = static_cast<float>(options.mixup);
    trainer.mixupAlpha = static_cast<float>(options.mixupAlpha);
    trainer.loss.labelSmoothing = static_cast<float>(options.labelSmoothing);
    trainer.loss.positiveWeight = static_cast<float>(options.positiveWeight);
    trainer.seed = options.seed;
    return run;
}

} // namespace earshot::cli
