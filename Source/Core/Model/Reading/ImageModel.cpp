#include "Core/Model/Reading/ImageModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/BlockForm.h"
#include "Core/Model/MemoryNeed.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Reading/PretrainedSides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace earshot::model {

namespace {

constexpr int colours = 3;

// Computed from the architecture, not trained.
bool isBuffer(std::string_view name) {
    constexpr std::array<std::string_view, 3> endings = {".relative_position_index", ".relative_coords_table",
                                                         ".attn_mask"};
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool readsColours(const Checkpoint& checkpoint, const std::string& prefix) {
    const auto& shape = checkpoint.tensors().at(prefix + "patch_embed.proj.weight").shape;
    return shape.size() == 4 && shape[1] == colours && !checkpoint.contains(prefix + "bn0.weight");
}

// Returns 0 if there is no Swin block at the beginning.
int versionOf(const Checkpoint& checkpoint, const std::string& prefix) {
    const BlockForm first(0, 0);
    if (checkpoint.contains(prefix + first.scoreScale)) return 2;
    return checkpoint.contains(prefix + first.positionTable) ? 1 : 0;
}

int classesOf(const Checkpoint& checkpoint, const std::string& prefix) {
    const auto head = checkpoint.tensors().find(prefix + "head.weight"); // (classes, latent)
    constexpr std::int64_t maxClasses = 1 << 20;
    if (head == checkpoint.tensors().end() || head->second.shape.size() != 2) return 0;
    return static_cast<int>(std::clamp<std::int64_t>(head->second.shape.front(), 0, maxClasses));
}

std::int64_t countParameters(const Checkpoint& checkpoint, const std::string& prefix) {
    std::int64_t count = 0;
    for (auto item = checkpoint.tensors().lower_bound(prefix);
         item != checkpoint.tensors().end() && item->first.starts_with(prefix); ++item)
        if (!isBuffer(item->first)) count += tensor::elementCount(item->second.shape);
    return count;
}

bool gridsFitWindow(const Config& config) {
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        const int side = config.stageAttentionSide(stage);
        if (side < 1 || config.stageGrid(stage) % side != 0) return false;
    }
    return true;
}

} // namespace

std::string ImageModel::name() const {
    auto kind = fmt::format("Swin V{} image model", version);
    constexpr int imageNet = 1000, imageNet22k = 21841;
    if (classes == 0) return kind;
    const char* const set = classes == imageNet      ? "ImageNet, "
                            : classes == imageNet22k ? "ImageNet-22K, "
                                                     : "";
    return fmt::format("{} ({}{} classes)", kind, set, classes);
}

std::optional<ImageModel> findImageModel(const Checkpoint& checkpoint) {
    const auto prefixes = networkPrefixes(checkpoint);
    // Beside a network that listens, an image model says nothing about the file.
    const auto isImage = [&](const std::string& it) {
        return versionOf(checkpoint, it) != 0 && readsColours(checkpoint, it);
    };
    if (prefixes.empty() || !std::ranges::all_of(prefixes, isImage)) return std::nullopt;
    const auto prefix = findNetworks(checkpoint).network().prefix;
    const int version = versionOf(checkpoint, prefix);
    return ImageModel{prefix, version, classesOf(checkpoint, prefix), countParameters(checkpoint, prefix)};
}

Config startingConfig(Checkpoint& checkpoint, const ImageModel& image) {
    const auto file = displayName(checkpoint.file());
    const auto found = inferConfig(checkpoint, image.prefix, colours);
    Config config;
    config.embedDim = found.embedDim.value_or(config.embedDim);
    config.depths = found.depths.value_or(config.depths);
    config.heads = found.heads.value_or(config.heads);
    config.mlpRatio = found.mlpRatio.value_or(config.mlpRatio);
    config.qkvBias = found.qkvBias.value_or(config.qkvBias);
    config.patchNorm = found.patchNorm.value_or(config.patchNorm);
    config.absolutePositionEmbedding =
        found.absolutePositionEmbedding.value_or(config.absolutePositionEmbedding);
    config.patchSize = config.patchStride = found.patchSize.value_or(config.patchSize);
    const int usualSide = config.attentionSide;
    config.attentionSide = found.attentionSide.value_or(usualSide);
    if (!gridsFitWindow(config)) config.attentionSide = usualSide;
    config.block = found.block.value_or(config.block);
    if (config.block == BlockKind::v2)
        config.pretrainedSides = readPretrainedSides(checkpoint, image.prefix, config.stageCount());
    try {
        config.validate();
    } catch (const Error& problem) {
        throw Error(fmt::format("{}: its architecture cannot be built: {}", file, problem.what()));
    }
    requireMemory(memoryNeed(config, 0), file);
    return config;
}

std::string refusalToListen(const Checkpoint& checkpoint, const ImageModel& image) {
    const auto file = displayName(checkpoint.file());
    return fmt::format("{}: is a {}: it knows pictures, and cannot listen by itself; train a model that "
                       "starts from it: earshot train --from {}",
                       file, image.name(), file);
}

} // namespace earshot::model
