#include "Core/Model/Reading/ConfigReader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/BlockForm.h"
#include "Core/Model/MemoryNeed.h"
#include "Core/Model/Reading/ClapReader.h"
#include "Core/Model/Reading/Frontend.h"
#include "Core/Model/Reading/ImageModel.h"
#include "Core/Model/Reading/LayoutRemarks.h"
#include "Core/Model/Reading/PretrainedSides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace earshot::model {

namespace {

std::string show(int value) { return std::to_string(value); }
std::string show(HeadKind value) { return nameOf(value); }
std::string show(BlockKind value) { return nameOf(value); }
std::string show(const std::vector<int>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

// Merges the values of metadata and tensors. Throws Error if they contradict each other.
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

// Everything but the rate, the hop and the edges of the bands (Frontend.h).
Config merge(const PartialConfig& stated, const PartialConfig& found, const std::string& file) {
    Config config;
    const Merge set(file);
    set(config.fftSize, "n_fft", stated.fftSize, found.fftSize);
    set(config.melBands, "mel_bins", stated.melBands, found.melBands);
    set(config.embedDim, "embed_dim", stated.embedDim, found.embedDim);
    set(config.depths, "depths", stated.depths, found.depths);
    set(config.heads, "num_heads", stated.heads, found.heads);
    set(config.attentionSide, "window_size", stated.attentionSide, found.attentionSide);
    set(config.block, "block", stated.block, found.block);
    config.pretrainedSides = stated.pretrainedSides.value_or(config.pretrainedSides);
    set(config.classes, "classes", stated.classes, found.classes);
    set(config.head, "head", stated.head, found.head);
    set(config.headWidth, "head_width", stated.headWidth, found.headWidth);
    set(config.headLayers, "head_layers", stated.headLayers, found.headLayers);
    config.mlpRatio = found.mlpRatio.value_or(config.mlpRatio);
    config.qkvBias = found.qkvBias.value_or(config.qkvBias);
    config.absolutePositionEmbedding =
        found.absolutePositionEmbedding.value_or(config.absolutePositionEmbedding);
    config.patchNorm = found.patchNorm.value_or(config.patchNorm);

    set(config.patchSize, "patch_size", stated.patchSize, found.patchSize);
    config.patchStride = stated.patchStride.value_or(config.patchSize);
    std::optional<int> foundImageSize;
    constexpr int maxStride = 64; // as Config::validate(); keeps the product small
    if (found.grid && config.patchStride <= maxStride) foundImageSize = *found.grid * config.patchStride;
    set(config.imageSize, "spec_size", stated.imageSize, foundImageSize);
    return config;
}

constexpr int maxExtent = 1 << 20; // far above any extent of a valid Config

// Returns the square root, or nothing if it is not an integer.
std::optional<int> squareRoot(int square) {
    const int root = static_cast<int>(std::lround(std::sqrt(static_cast<double>(square))));
    if (root * root != square) return std::nullopt;
    return root;
}

// Returns stage and block of a name such as "layers.2.blocks.0.norm1.weight", or nothing.
std::optional<std::pair<std::size_t, int>> blockOf(std::string_view name) {
    const auto number = [&name](std::string_view label) -> std::optional<int> {
        if (!name.starts_with(label)) return std::nullopt;
        name.remove_prefix(label.size());
        int value = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
        constexpr int maxBlocks = 1000;
        if (error != std::errc() || value < 0 || value >= maxBlocks) return std::nullopt;
        name.remove_prefix(static_cast<std::size_t>(end - name.data()));
        return value;
    };
    const auto stage = number("layers.");
    const auto block = stage ? number(".blocks.") : std::nullopt;
    if (!block) return std::nullopt;
    return std::pair(static_cast<std::size_t>(*stage), *block);
}

class Inference {
  public:
    Inference(const Checkpoint& checkpoint, const std::string& prefix, int channels)
        : checkpoint_(checkpoint)
        , prefix_(prefix)
        , channels_(channels) {}

    PartialConfig run() {
        patchEmbedding();
        stages();
        frontend();
        head();
        if (channels_ == 1) grid();
        return config_;
    }

  private:
    bool has(const std::string& name) const { return checkpoint_.contains(prefix_ + name); }

    // Returns a tensor's shape; empty if there is no such tensor. Throws Error unless the shape has
    // `dimensions` plausible extents.
    std::vector<int> shape(const std::string& name, std::size_t dimensions) const {
        const auto found = checkpoint_.tensors().find(prefix_ + name);
        if (found == checkpoint_.tensors().end()) return {};
        const auto& extents = found->second.shape;
        const auto isPlausible = [](std::int64_t extent) { return extent >= 1 && extent <= maxExtent; };
        if (extents.size() != dimensions || !std::all_of(extents.begin(), extents.end(), isPlausible))
            fail(name, fmt::format("{} plausible dimensions", dimensions));
        return {extents.begin(), extents.end()};
    }

    [[noreturn]] void fail(const std::string& name, const std::string& expected) const {
        throw Error(fmt::format("{}: tensor {}: expected {}, found {}", displayName(checkpoint_.file()),
                                printable(prefix_ + name), expected,
                                tensor::describe(checkpoint_.tensors().at(prefix_ + name).shape)));
    }

    [[noreturn]] void failMissing(const std::string& name, const std::string& expected) const {
        throw Error(fmt::format("{}: tensor {}: expected {}, found none; the file may be cut or of another "
                                "architecture",
                                displayName(checkpoint_.file()), printable(prefix_ + name), expected));
    }

    void patchEmbedding() {
        const std::string name = "patch_embed.proj.weight";
        const auto extents = shape(name, 4); // (embedDim, channels, patch, patch)
        if (extents.empty()) return;
        if (extents[1] != channels_ || extents[2] != extents[3])
            fail(name, fmt::format("(width, {}, patch, patch)", channels_));
        config_.embedDim = extents[0];
        config_.patchSize = extents[2];
        config_.patchNorm = has("patch_embed.norm.weight") || has("patch_embed.norm.bias");
        config_.absolutePositionEmbedding = has("absolute_pos_embed");
    }

    // nameInFirst: of the tensor in the first block.
    bool anyBlockHas(const std::string& nameInFirst) const {
        const auto ending = nameInFirst.substr(std::string_view("layers.0.blocks.0").size());
        for (auto item = checkpoint_.tensors().lower_bound(prefix_ + "layers.");
             item != checkpoint_.tensors().end() && item->first.starts_with(prefix_ + "layers."); ++item)
            if (item->first.ends_with(ending) &&
                blockOf(std::string_view(item->first).substr(prefix_.size())))
                return true;
        return false;
    }

    void stages() {
        std::vector<int> depths;
        for (auto item = checkpoint_.tensors().lower_bound(prefix_ + "layers.");
             item != checkpoint_.tensors().end() && item->first.starts_with(prefix_ + "layers."); ++item) {
            const auto block = blockOf(std::string_view(item->first).substr(prefix_.size()));
            if (!block) continue;
            if (depths.size() <= block->first) depths.resize(block->first + 1, 0);
            depths[block->first] = std::max(depths[block->first], block->second + 1);
        }
        if (depths.empty()) return;
        const BlockForm first(0, 0);
        const bool isV2 = anyBlockHas(first.scoreScale);
        config_.block = isV2 ? BlockKind::v2 : BlockKind::v1;
        std::vector<int> heads;
        for (std::size_t stage = 0; stage < depths.size(); ++stage) {
            const BlockForm form(static_cast<int>(stage), 0);
            const auto sides = isV2 ? scales(form, heads) : biasTable(form, heads);
            // The grid may limit the attention window of a later stage.
            if (stage == 0 && sides) config_.attentionSide = (*sides + 1) / 2;
        }
        // What one block has all have: a file that lacks it elsewhere is cut.
        config_.qkvBias = isV2 ? anyBlockHas(first.queryBias) || anyBlockHas(first.valueBias)
                               : anyBlockHas(first.qkv + ".bias");
        const std::string expand = first.expand + ".weight";
        if (const auto extents = shape(expand, 2); !extents.empty()) { // (ratio * width, width)
            if (extents[0] % extents[1] != 0) fail(expand, "(a multiple of the width, width)");
            config_.mlpRatio = extents[0] / extents[1];
        }
        config_.depths = std::move(depths);
        config_.heads = std::move(heads);
    }

    // Adds a stage's heads. Returns the number of relative positions along a side of its attention window.
    std::optional<int> biasTable(const BlockForm& form, std::vector<int>& heads) const {
        const auto& name = form.positionTable;
        const auto table = shape(name, 2); // ((2 side - 1)^2, heads)
        if (table.empty()) failMissing(name, "((2 side - 1)^2, heads)");
        heads.push_back(table[1]);
        const auto sides = squareRoot(table[0]);
        if (!sides || *sides % 2 == 0) fail(name, "((2 side - 1)^2, heads)");
        return sides;
    }
    // The same of a V2 block, whose attention window shows in a buffer alone.
    std::optional<int> scales(const BlockForm& form, std::vector<int>& heads) const {
        const auto scale = shape(form.scoreScale, 3); // (heads, 1, 1)
        if (scale.empty()) failMissing(form.scoreScale, "(heads, 1, 1)");
        heads.push_back(scale[0]);
        const auto distances = shape(form.distances, 4); // (1, 2 side - 1, 2 side - 1, 2)
        if (distances.empty()) return std::nullopt;
        if (distances[0] != 1 || distances[1] % 2 == 0 || distances[2] != distances[1] || distances[3] != 2)
            fail(form.distances, "(1, 2 side - 1, 2 side - 1, 2)");
        return distances[1];
    }

    void frontend() {
        for (const char* const name : {"bn0.running_var", "bn0.bias", "bn0.weight"})
            if (const auto extents = shape(name, 1); !extents.empty()) config_.melBands = extents[0];
        if (const auto extents = shape("logmel_extractor.melW", 2); !extents.empty()) // (bins, bands)
            config_.fftSize = 2 * (extents[0] - 1);
        if (const auto extents = shape("spectrogram_extractor.stft.conv_real.weight", 3); !extents.empty())
            config_.fftSize = extents[2]; // (bins, 1, fftSize)
    }

    // Whether there is a tensor of this layer, "NAME.weight" or "NAME.bias".
    bool hasBelow(const std::string& layer) const { return has(layer + ".weight") || has(layer + ".bias"); }

    // The shape of a head's weights; empty if nothing of it is there.
    std::vector<int> headShape(const std::string& layer, std::size_t dimensions) const {
        if (!hasBelow(layer)) return {};
        const std::string name = layer + ".weight";
        auto extents = shape(name, dimensions);
        if (extents.empty()) failMissing(name, fmt::format("{} dimensions", dimensions));
        return extents;
    }

    void head() {
        // tscam_conv: (classes, latent, rows, 3)
        if (const auto extents = headShape("tscam_conv", 4); !extents.empty()) {
            config_.head = HeadKind::tscam;
            config_.classes = extents[0];
        } else if (const auto linear = headShape("head", 2); !linear.empty()) { // (classes, latent)
            config_.head = HeadKind::pooled;
            config_.classes = linear[0];
        } else if (const auto fine = headShape(FineHeadForm::classes, 2); !fine.empty()) {
            config_.head = HeadKind::fine; // (classes, headWidth)
            config_.classes = fine[0];
            config_.headWidth = fine[1];
            int layers = 0;
            while (hasBelow(FineHeadForm::Layer(layers).convolution) ||
                   hasBelow(FineHeadForm::Layer(layers).norm))
                ++layers;
            config_.headLayers = layers;
        }
    }

    // merge() computes the image's size from the grid and the patches' stride.
    void grid() {
        const std::string position = "absolute_pos_embed"; // (1, patches, width)
        for (int stage = 0; stage < static_cast<int>(config_.depths ? config_.depths->size() : 0); ++stage) {
            const auto mask = fmt::format("layers.{}.blocks.1.attn_mask", stage);
            const auto extents = shape(mask, 3); // (attention windows, tokens, tokens)
            if (extents.empty()) continue;
            const auto perSide = squareRoot(extents[0]);
            const auto side = squareRoot(extents[1]);
            if (!perSide || !side) fail(mask, "(attention windows, tokens, tokens)");
            config_.grid = (*perSide * *side) << stage; // merging halves the sides
            return;
        }
        if (const auto embedding = shape(position, 3); !embedding.empty()) {
            config_.grid = squareRoot(embedding[1]);
            if (!config_.grid) fail(position, "a square number of patches");
        }
    }

    const Checkpoint& checkpoint_;
    const std::string& prefix_;
    int channels_;
    PartialConfig config_;
};

using nlohmann::json;

class MetadataParser {
  public:
    MetadataParser(const json& object, const std::string& file)
        : object_(object)
        , file_(file) {}

    void get(const char* key, std::optional<int>& value) const {
        if (const json* found = find(key)) value = integer(key, *found);
    }

    void get(const char* key, std::optional<double>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (!found->is_number()) fail(key, "a number");
        value = found->get<double>();
    }

    void get(const char* key, std::optional<bool>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (!found->is_boolean()) fail(key, "true or false");
        value = found->get<bool>();
    }

    void get(const char* key, std::optional<std::vector<int>>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        constexpr std::size_t maxStages = 64;
        if (!found->is_array() || found->size() > maxStages)
            fail(key, "an array of integers, one for each stage");
        value.emplace();
        for (const auto& item : *found) value->push_back(integer(key, item));
    }

    // 4 or [4, 4]: Python's configurations use both
    void getSide(const char* key, std::optional<int>& value) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (!found->is_array()) return get(key, value);
        if (found->size() != 2 || integer(key, (*found)[0]) != integer(key, (*found)[1]))
            fail(key, "one integer, or two equal ones");
        value = integer(key, (*found)[0]);
    }

    // Earlier files say "tscam": true or false.
    void getHead(std::optional<HeadKind>& head) const {
        std::optional<bool> tscam;
        get("tscam", tscam);
        if (tscam) head = *tscam ? HeadKind::tscam : HeadKind::pooled;
        const json* found = find("head");
        if (found == nullptr) return;
        for (const auto kind : {HeadKind::pooled, HeadKind::tscam, HeadKind::fine})
            if (*found == nameOf(kind)) {
                head = kind;
                return;
            }
        fail("head", "\"pooled\", \"tscam\" or \"fine\"");
    }

    void getBlock(const char* key, std::optional<BlockKind>& block) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (*found != nameOf(BlockKind::v1) && *found != nameOf(BlockKind::v2)) fail(key, "\"v1\" or \"v2\"");
        block = *found == nameOf(BlockKind::v2) ? BlockKind::v2 : BlockKind::v1;
    }

    void getMelScale(const char* key, std::optional<bool>& isHtk) const {
        const json* found = find(key);
        if (found == nullptr) return;
        if (*found != "slaney" && *found != "htk") fail(key, "\"slaney\" or \"htk\"");
        isHtk = *found == "htk";
    }

  private:
    [[noreturn]] void fail(const char* key, const char* expected) const {
        // The message shows plain values only: dump() of a nested value recurses at every level.
        const json& value = object_[key];
        const std::string found = value.is_structured() ? value.type_name() : value.dump();
        throw Error(fmt::format("{}: earshot.config: {}: expected {}, found {}", file_, key, expected,
                                printable(found)));
    }

    const json* find(const char* key) const {
        const auto found = object_.find(key);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    int integer(const char* key, const json& value) const {
        const double number =
            value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
        if (!(std::abs(number) <= std::numeric_limits<int>::max()) || number != std::floor(number))
            fail(key, "an integer");
        return static_cast<int>(number);
    }

    const json& object_;
    const std::string& file_;
};

// Microsoft's matrix is of another rate than its audio, so that no settings stand for it.
void requireMelMatrix(const Checkpoint& checkpoint, const CheckpointLayout& layout,
                      const PartialConfig& stated) {
    const auto name = layout.prefix + "logmel_extractor.melW";
    if (layout.kind != microsoftKind || stated.lowHz || stated.highHz || checkpoint.contains(name)) return;
    throw Error(
        fmt::format("{}: tensor {}: expected the mel matrix of {}, found none; download the file again",
                    displayName(checkpoint.file()), printable(name), layout.kind));
}

// mel: the settings of the file's mel matrix, if they could be recovered.
CheckpointLayout layoutWith(const Checkpoint& checkpoint, const std::optional<MelSettings>& mel) {
    if (const auto image = findImageModel(checkpoint)) throw Error(refusalToListen(checkpoint, *image));
    const auto file = displayName(checkpoint.file());
    CheckpointLayout layout;
    layout.networks = findNetworks(checkpoint);
    layout.prefix = layout.networks.network().prefix;
    layout.kind = layout.networks.network().kind;
    PartialConfig stated;
    if (const auto metadata = checkpoint.metadata().find("earshot.config");
        metadata != checkpoint.metadata().end())
        stated = parseConfigMetadata(metadata->second, file);
    layout.config = merge(stated, inferConfig(checkpoint, layout.prefix), file);
    layout.mel = mel;
    requireMelMatrix(checkpoint, layout, stated);
    completeFrontend(layout, checkpoint, stated);
    try {
        layout.config.validate();
    } catch (const Error& problem) {
        throw Error(fmt::format("{}: its architecture cannot be built: {}", file, problem.what()));
    }
    requireMemory(memoryNeed(layout.config, projectionDimensions(checkpoint, layout)), file);
    return layout;
}

} // namespace

CheckpointLayout readLayout(const Checkpoint& checkpoint) { return layoutWith(checkpoint, std::nullopt); }

CheckpointLayout openLayout(Checkpoint& checkpoint) {
    auto layout = layoutWith(checkpoint, readMelSettings(checkpoint));
    completePretrainedSides(checkpoint, layout);
    layout.remarks = remarksOn(checkpoint, layout);
    return layout;
}

PartialConfig inferConfig(const Checkpoint& checkpoint, const std::string& prefix, int channels) {
    return Inference(checkpoint, prefix, channels).run();
}

PartialConfig parseConfigMetadata(const std::string& text, const std::string& file) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) throw Error(fmt::format("{}: earshot.config is not a JSON object", file));
    const MetadataParser parser(object, file);
    PartialConfig config;
    parser.get("sample_rate", config.sampleRate);
    parser.get("n_fft", config.fftSize);
    parser.get("hop_size", config.hopSize);
    parser.get("mel_bins", config.melBands);
    parser.get("fmin", config.lowHz);
    parser.get("fmax", config.highHz);
    parser.getMelScale("mel_scale", config.htkMelScale);
    parser.get("spec_size", config.imageSize);
    parser.getSide("patch_size", config.patchSize);
    parser.getSide("patch_stride", config.patchStride);
    parser.get("embed_dim", config.embedDim);
    parser.get("depths", config.depths);
    parser.get("num_heads", config.heads);
    parser.get("window_size", config.attentionSide);
    parser.getBlock("block", config.block);
    parser.get("pretrained_window_sizes", config.pretrainedSides);
    parser.get("classes", config.classes);
    parser.getHead(config.head);
    parser.get("head_width", config.headWidth);
    parser.get("head_layers", config.headLayers);
    return config;
}

} // namespace earshot::model
