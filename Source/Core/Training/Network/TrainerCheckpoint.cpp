#include "Core/Training/Network/TrainerCheckpoint.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/SafetensorsWriter.h"
#include "Core/Training/Network/ModelMetadata.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace earshot::training {

namespace {

using nlohmann::ordered_json;

constexpr const char* stepKey = "earshot.training.step";
constexpr const char* settingsKey = "earshot.training.settings";
constexpr const char* configKey = "earshot.training.config";
constexpr const char* embeddingKey = "earshot.training.embedding";

// Settings have the names of the command line if possible, because messages show those that differ.
ordered_json describe(const TrainerSettings& settings) {
    ordered_json object;
    object["threads"] = settings.threads;
    object["arithmetic"] = settings.arithmetic == Arithmetic::bfloat16 ? "bfloat16" : "float32";
    object["batch"] = settings.batch;
    object["windows per pass"] = settings.microBatch;
    object["steps"] = settings.steps;
    object["warm-up"] = settings.warmUp;
    object["rate"] = settings.peakRate;
    object["final rate"] = settings.finalRate;
    object["weight decay"] = settings.weightDecay;
    object["beta1"] = settings.beta1;
    object["beta2"] = settings.beta2;
    object["epsilon"] = settings.epsilon;
    object["gradient clipping"] = settings.clipNorm;
    object["average"] = settings.average;
    object["drop path"] = settings.dropPath;
    object["mixup"] = settings.mixup;
    object["mixup alpha"] = settings.mixupAlpha;
    object["label smoothing"] = settings.loss.labelSmoothing;
    object["positive weight"] = settings.loss.positiveWeight;
    object["newest weight"] = settings.loss.newestWeight;
    object["unfreezing"] = settings.unfreezeAt;
    object["seed"] = settings.seed;
    if (settings.embeddingWidth > 0) {
        object["values of an embedding"] = settings.embeddingWidth;
        object["embedding-weight"] = settings.embeddingWeight;
    }
    return object;
}

[[noreturn]] void failDamaged(const std::filesystem::path& file, const std::string& what) {
    throw Error(
        fmt::format("{}: {}; it cannot be resumed: train again without --resume", displayName(file), what));
}

std::string required(const model::Checkpoint& checkpoint, const char* key) {
    const auto found = checkpoint.metadata().find(key);
    if (found == checkpoint.metadata().end())
        failDamaged(checkpoint.file(), "is no file of a stopped training");
    return found->second;
}

void readBlock(model::Checkpoint& checkpoint, const char* name, std::span<float> values) {
    if (!checkpoint.contains(name)) failDamaged(checkpoint.file(), fmt::format("holds no {}", name));
    const auto block = checkpoint.read(name);
    if (block.size() != values.size())
        failDamaged(checkpoint.file(),
                    fmt::format("{}: expected {} values, found {}", name, values.size(), block.size()));
    std::copy(block.values().begin(), block.values().end(), values.begin());
}

} // namespace

std::string settingsText(const TrainerSettings& settings) { return describe(settings).dump(); }

void requireSameSettings(const std::filesystem::path& checkpoint, const std::string& saved,
                         const std::string& wanted) {
    const auto before = ordered_json::parse(saved, nullptr, false);
    const auto now = ordered_json::parse(wanted);
    if (!before.is_object()) failDamaged(checkpoint, "its settings cannot be read");
    // As JSON text, so that a value equals itself after writing and reading.
    for (const auto& [key, value] : now.items()) {
        const auto found = before.find(key);
        if (found == before.end())
            throw Error(fmt::format("{}: was trained without {} {}; resume with the same options, or train "
                                    "again without --resume",
                                    displayName(checkpoint), key, value.dump()));
        const auto old = found->dump();
        if (old != value.dump())
            throw Error(fmt::format("{}: was trained with {} {}, not {}; resume with the same options, or "
                                    "train again without --resume{}",
                                    displayName(checkpoint), key, printable(old), value.dump(),
                                    key == "threads" ? " (more threads than --batch are left out)" : ""));
    }
    for (const auto& [key, value] : before.items())
        if (!now.contains(key))
            throw Error(
                fmt::format("{}: was trained with {} {}; resume with the same options, or train again "
                            "without --resume",
                            displayName(checkpoint), printable(key), printable(value.dump())));
}

void saveTraining(const std::filesystem::path& file, const ParameterLayout& layout,
                  const TrainerSettings& settings, const Optimiser& optimiser, const TrainingState& state,
                  EmbeddingRegression* embedding, std::map<std::string, std::string> metadata) {
    const tensor::Shape shape = {static_cast<std::int64_t>(layout.size())};
    const tensor::Shape bands = {layout.config().melBands};
    std::vector<model::NamedTensor> tensors = {{"parameters", shape, optimiser.values.values()},
                                               {"moment1", shape, optimiser.moment1.values()},
                                               {"moment2", shape, optimiser.moment2.values()},
                                               {"average", shape, optimiser.average.values()},
                                               {"band_mean", bands, state.statistics.mean},
                                               {"band_variance", bands, state.statistics.variance}};
    if (embedding != nullptr) {
        for (const auto& [name, tensor] : embedding->tensors())
            tensors.push_back({name, tensor->shape(), tensor->values()});
        metadata[embeddingKey] = embedding->norms();
    }
    metadata[stepKey] = std::to_string(state.step);
    metadata[settingsKey] = settingsText(settings);
    metadata[configKey] = configMetadata(layout.config());
    model::writeSafetensors(file, tensors, metadata);
}

TrainingState loadTraining(const std::filesystem::path& file, const ParameterLayout& layout,
                           const TrainerSettings& settings, Optimiser& optimiser,
                           EmbeddingRegression* embedding) {
    const auto checkpoint = model::Checkpoint::open(file);
    TrainingState state;
    const auto stepText = required(*checkpoint, stepKey);
    const auto step = nlohmann::json::parse(stepText, nullptr, false);
    if (!step.is_number_integer() || step.get<std::int64_t>() < 0)
        failDamaged(file, "its step cannot be read");
    state.step = step.get<std::int64_t>();
    if (required(*checkpoint, configKey) != configMetadata(layout.config()))
        throw Error(
            fmt::format("{}: is of a network of another shape; resume with the same options, or train "
                        "again without --resume",
                        displayName(file)));
    requireSameSettings(file, required(*checkpoint, settingsKey), settingsText(settings));
    readBlock(*checkpoint, "parameters", optimiser.values.values());
    readBlock(*checkpoint, "moment1", optimiser.moment1.values());
    readBlock(*checkpoint, "moment2", optimiser.moment2.values());
    readBlock(*checkpoint, "average", optimiser.average.values());
    if (embedding != nullptr) {
        for (const auto& [name, tensor] : embedding->tensors())
            readBlock(*checkpoint, name.c_str(), tensor->values());
        if (!embedding->setNorms(required(*checkpoint, embeddingKey)))
            failDamaged(file, "its embedding task cannot be read");
    }
    const auto bands = static_cast<std::size_t>(layout.config().melBands);
    state.statistics = {std::vector<float>(bands), std::vector<float>(bands)};
    readBlock(*checkpoint, "band_mean", state.statistics.mean);
    readBlock(*checkpoint, "band_variance", state.statistics.variance);
    return state;
}

} // namespace earshot::training
