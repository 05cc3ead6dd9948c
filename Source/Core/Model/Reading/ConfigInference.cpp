#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/BlockForm.h"
#include "Core/Model/Reading/PartialConfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace earshot::model {

namespace {

constexpr int largestExtent = 1 << 20; // no extent that a Config speaks of comes near

// The number whose square this is, or nothing.
std::optional<int> squareRoot(int square) {
    const int root = static_cast<int>(std::lround(std::sqrt(static_cast<double>(square))));
    if (root * root != square) return std::nullopt;
    return root;
}

// Stage and block of "layers.2.blocks.0.norm1.weight"
std::optional<std::pair<std::size_t, int>> blockOf(std::string_view name) {
    const auto number = [&name](std::string_view label) -> std::optional<int> {
        if (!name.starts_with(label)) return std::nullopt;
        name.remove_prefix(label.size());
        int value = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
        constexpr int mostBlocks = 1000;
        if (error != std::errc() || value < 0 || value >= mostBlocks) return std::nullopt;
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
    Inference(const Checkpoint& checkpoint, const std::string& prefix)
        : checkpoint_(checkpoint)
        , prefix_(prefix) {}

    PartialConfig run() {
        patchEmbedding();
        stages();
        frontend();
        head();
        grid();
        return config_;
    }

  private:
    bool has(const std::string& name) const { return checkpoint_.contains(prefix_ + name); }

    // A shape of `dimensions` extents, none of them absurd; empty when there is no such tensor.
    std::vector<int> shape(const std::string& name, std::size_t dimensions) const {
        const auto found = checkpoint_.tensors().find(prefix_ + name);
        if (found == checkpoint_.tensors().end()) return {};
        const auto& extents = found->second.shape;
        const auto isPlausible = [](std::int64_t extent) { return extent >= 1 && extent <= largestExtent; };
        if (extents.size() != dimensions || !std::all_of(extents.begin(), extents.end(), isPlausible))
            fail(name, fmt::format("{} plausible dimensions", dimensions));
        return {extents.begin(), extents.end()};
    }

    [[noreturn]] void fail(const std::string& name, const std::string& expected) const {
        throw Error(fmt::format("{}: tensor {}: expected {}, found {}", displayName(checkpoint_.file()),
                                printable(prefix_ + name), expected,
                                tensor::describe(checkpoint_.tensors().at(prefix_ + name).shape)));
    }

    void patchEmbedding() {
        const std::string name = "patch_embed.proj.weight";
        const auto extents = shape(name, 4); // (embedDim, 1, patch, patch)
        if (extents.empty()) return;
        if (extents[1] != 1 || extents[2] != extents[3]) fail(name, "(width, 1, patch, patch)");
        config_.embedDim = extents[0];
        config_.patchSize = extents[2];
        config_.patchNorm = has("patch_embed.norm.weight");
        config_.absolutePositionEmbedding = has("absolute_pos_embed");
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
        std::vector<int> heads;
        for (std::size_t stage = 0; stage < depths.size(); ++stage) {
            const auto name = BlockForm(static_cast<int>(stage), 0).positionTable;
            const auto table = shape(name, 2); // ((2 window - 1)^2, heads)
            if (table.empty())
                throw Error(fmt::format("{}: tensor {}: expected ((2 window - 1)^2, heads), found none; the "
                                        "file may be cut or of another architecture",
                                        displayName(checkpoint_.file()), printable(prefix_ + name)));
            heads.push_back(table[1]);
            const auto side = squareRoot(table[0]);
            if (!side || *side % 2 == 0) fail(name, "((2 window - 1)^2, heads)");
            // A later stage's window is narrowed to its grid.
            if (stage == 0) config_.windowSize = (*side + 1) / 2;
        }
        config_.depths = std::move(depths);
        config_.heads = std::move(heads);
        const BlockForm first(0, 0);
        config_.qkvBias = has(first.qkv + ".bias");
        const std::string expand = first.expand + ".weight";
        if (const auto extents = shape(expand, 2); !extents.empty()) { // (ratio * width, width)
            if (extents[0] % extents[1] != 0) fail(expand, "(a multiple of the width, width)");
            config_.mlpRatio = extents[0] / extents[1];
        }
    }

    void frontend() {
        if (const auto extents = shape("bn0.weight", 1); !extents.empty()) config_.melBands = extents[0];
        if (const auto extents = shape("logmel_extractor.melW", 2); !extents.empty()) // (bins, bands)
            config_.fftSize = 2 * (extents[0] - 1);
        if (const auto extents = shape("spectrogram_extractor.stft.conv_real.weight", 3); !extents.empty())
            config_.fftSize = extents[2]; // (bins, 1, fftSize)
    }

    void head() {
        if (const auto extents = shape("tscam_conv.weight", 4);
            !extents.empty()) { // (classes, latent, rows, 3)
            config_.tscam = true;
            config_.classes = extents[0];
        } else if (const auto linear = shape("head.weight", 2); !linear.empty()) { // (classes, latent)
            config_.tscam = false;
            config_.classes = linear[0];
        }
    }

    // The image's size follows once the patches' stride is known.
    void grid() {
        const std::string mask = "layers.0.blocks.1.attn_mask"; // (windows, tokens, tokens)
        const std::string position = "absolute_pos_embed";      // (1, patches, width)
        if (const auto extents = shape(mask, 3); !extents.empty()) {
            const auto windows = squareRoot(extents[0]);
            const auto window = squareRoot(extents[1]);
            if (!windows || !window) fail(mask, "(windows, tokens, tokens)");
            config_.grid = *windows * *window;
        } else if (const auto embedding = shape(position, 3); !embedding.empty()) {
            config_.grid = squareRoot(embedding[1]);
            if (!config_.grid) fail(position, "a square number of patches");
        }
    }

    const Checkpoint& checkpoint_;
    const std::string& prefix_;
    PartialConfig config_;
};

} // namespace

PartialConfig inferConfig(const Checkpoint& checkpoint, const std::string& prefix) {
    return Inference(checkpoint, prefix).run();
}

} // namespace earshot::model
