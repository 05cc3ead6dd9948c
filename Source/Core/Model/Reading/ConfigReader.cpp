#include "Core/Model/Reading/ConfigReader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Reading/MemoryNeed.h"
#include "Core/Model/Reading/PartialConfig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace earshot::model {

namespace {

// As published, the first one preferred where a file holds several networks.
struct KnownLayout {
    std::string_view prefix;
    const char* kind;
};
constexpr KnownLayout knownLayouts[] = {
    {"sed_model.", htsatKind},
    {"audio_encoder.base.htsat.", microsoftKind},
    {"module.audio_branch.", laionKind},
    {"audio_branch.", laionKind},
    {"", htsatKind},
};

std::vector<std::string> candidatePrefixes(const Checkpoint& checkpoint) {
    constexpr std::string_view ending = "patch_embed.proj.weight";
    std::vector<std::string> prefixes;
    for (const auto& item : checkpoint.tensors()) {
        const std::string_view tensorName = item.first;
        if (!tensorName.ends_with(ending)) continue;
        const auto prefix = tensorName.substr(0, tensorName.size() - ending.size());
        if (prefix.empty() || prefix.back() == '.') prefixes.emplace_back(prefix);
    }
    return prefixes;
}

CheckpointLayout findNetwork(const Checkpoint& checkpoint) {
    const auto prefixes = candidatePrefixes(checkpoint);
    if (prefixes.empty())
        throw Error(fmt::format("{}: holds no HTS-AT network (no tensor is named ...patch_embed.proj.weight)",
                                displayName(checkpoint.file())));
    for (const auto& known : knownLayouts)
        if (std::find(prefixes.begin(), prefixes.end(), known.prefix) != prefixes.end())
            return {std::string(known.prefix), known.kind, {}};
    // A known layout within some wrapper, such as "module." of a parallel run; else a plain network.
    for (const auto& known : knownLayouts)
        for (const auto& prefix : prefixes)
            if (!known.prefix.empty() && prefix.ends_with(known.prefix)) return {prefix, known.kind, {}};
    return {prefixes.front(), htsatKind, {}};
}

std::string show(int value) { return std::to_string(value); }
std::string show(bool value) { return value ? "true" : "false"; }
std::string show(const std::vector<int>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

// Tensors say what is; metadata says the rest, and may not contradict them.
class Merge {
  public:
    explicit Merge(const std::string& file)
        : file_(file) {}

    template <typename T>
    void operator()(T& value, const char* key, const std::optional<T>& stated,
                    const std::optional<T>& found) const {
        if (stated && found && *stated != *found)
            throw Error(fmt::format("{}: earshot.config says {} is {}, its tensors say {}", file_, key,
                                    show(*stated), show(*found)));
        if (stated) value = *stated;
        if (found) value = *found;
    }

  private:
    const std::string& file_;
};

Config defaultsOf(std::string_view kind) {
    Config config;
    if (kind == laionKind) {
        config.sampleRate = 48000;
        config.hopSize = 480;
    } else if (kind == microsoftKind) {
        config.sampleRate = 44100;
    }
    return config;
}

Config merge(Config config, const PartialConfig& stated, const PartialConfig& found,
             const std::string& file) {
    const Merge set(file);
    config.sampleRate = stated.sampleRate.value_or(config.sampleRate);
    config.hopSize = stated.hopSize.value_or(config.hopSize);
    config.lowHz = stated.lowHz.value_or(config.lowHz);
    config.highHz = stated.highHz.value_or(std::min(config.highHz, config.sampleRate / 2.0));
    config.htkMelScale = stated.htkMelScale.value_or(config.htkMelScale);
    set(config.fftSize, "n_fft", stated.fftSize, found.fftSize);
    set(config.melBands, "mel_bins", stated.melBands, found.melBands);
    set(config.embedDim, "embed_dim", stated.embedDim, found.embedDim);
    set(config.depths, "depths", stated.depths, found.depths);
    set(config.heads, "num_heads", stated.heads, found.heads);
    set(config.windowSize, "window_size", stated.windowSize, found.windowSize);
    set(config.classes, "classes", stated.classes, found.classes);
    set(config.tscam, "tscam", stated.tscam, found.tscam);
    config.mlpRatio = found.mlpRatio.value_or(config.mlpRatio);
    config.qkvBias = found.qkvBias.value_or(config.qkvBias);
    config.absolutePositionEmbedding =
        found.absolutePositionEmbedding.value_or(config.absolutePositionEmbedding);
    config.patchNorm = found.patchNorm.value_or(config.patchNorm);

    set(config.patchSize, "patch_size", stated.patchSize, found.patchSize);
    config.patchStride = stated.patchStride.value_or(config.patchSize);
    std::optional<int> foundImageSize;
    constexpr int largestStride = 64; // as Config::validate(); keeps the product small
    if (found.grid && config.patchStride <= largestStride) foundImageSize = *found.grid * config.patchStride;
    set(config.imageSize, "spec_size", stated.imageSize, foundImageSize);
    return config;
}

} // namespace

CheckpointLayout readLayout(const Checkpoint& checkpoint) {
    const auto file = displayName(checkpoint.file());
    auto layout = findNetwork(checkpoint);
    PartialConfig stated;
    if (const auto metadata = checkpoint.metadata().find("earshot.config");
        metadata != checkpoint.metadata().end())
        stated = parseConfigMetadata(metadata->second, file);
    layout.config = merge(defaultsOf(layout.kind), stated, inferConfig(checkpoint, layout.prefix), file);
    try {
        layout.config.validate();
    } catch (const Error& problem) {
        throw Error(fmt::format("{}: its architecture cannot be built: {}", file, problem.what()));
    }
    requireMemory(memoryNeed(layout.config, projectionDimensions(checkpoint, layout)), file);
    return layout;
}

} // namespace earshot::model
