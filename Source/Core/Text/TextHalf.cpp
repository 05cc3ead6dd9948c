#include "Core/Text/TextHalf.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/MemoryNeed.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/Networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace earshot::text {

namespace {

// The names of a published layout's tensors.
struct Names {
    Vocabulary vocabulary;
    std::string_view encoder;           // end of the encoder's prefix
    std::string_view words, positions;  // tables, after the encoder's prefix
    std::string_view layer;             // a layer's prefix
    std::string_view projection, first; // the projection's prefix, and its first layer
    std::int64_t tokens;                // rows of the table of words
    int added;                          // rows of the table of positions that no token of a text has
};
constexpr Names layouts[] = {
    {Vocabulary::gpt2, "caption_encoder.base.", "wte.weight", "wpe.weight", "h.",
     "caption_encoder.projection.", "linear1.weight", gpt2Ids, 0},
    {Vocabulary::roberta, "text_branch.", "embeddings.word_embeddings.weight",
     "embeddings.position_embeddings.weight", "encoder.layer.", "text_projection.", "0.weight", robertaIds,
     laionPadding + 1},
};
constexpr std::int64_t maxWidth = 1 << 13;
constexpr std::int64_t maxPositions = 1 << 16;
constexpr std::int64_t maxDimensions = 1 << 14;
constexpr int maxLayers = 1000;
constexpr int headWidth = 64, minHeads = 4;

class Finder {
  public:
    Finder(const model::Checkpoint& checkpoint, const Names& names, std::string wrapper)
        : checkpoint_(checkpoint)
        , names_(names)
        , wrapper_(std::move(wrapper)) {}

    TextHalf find() const {
        TextHalf half;
        half.vocabulary = names_.vocabulary;
        half.prefix = wrapper_ + std::string(names_.encoder);
        half.projection = wrapper_ + std::string(names_.projection);
        const auto words = half.prefix + std::string(names_.words);
        const auto width = extent(words, names_.tokens, 1, minHeads, maxWidth);
        half.width = static_cast<int>(width);
        half.heads = std::max(minHeads, half.width / headWidth);
        if (half.width % half.heads != 0) fail(words, fmt::format("a width of whole heads of {}", headWidth));
        const auto positions = half.prefix + std::string(names_.positions);
        half.positions = static_cast<int>(extent(positions, width, 0, names_.added + 1, maxPositions));
        half.dimensions =
            static_cast<int>(extent(half.projection + std::string(names_.first), width, 0, 1, maxDimensions));
        while (hasLayer(half, half.layers) && half.layers <= maxLayers) ++half.layers;
        if (half.layers == 0 || half.layers > maxLayers)
            throw Error(fmt::format("{}: its text half has {} layers, expected 1 to {}; the file may be cut",
                                    displayName(checkpoint_.file()), half.layers, maxLayers));
        half.parameters = countParameters(half);
        requireMemory(half);
        return half;
    }

  private:
    // Whether there is any tensor of it: a layer that lacks one is refused when it is read.
    bool hasLayer(const TextHalf& half, int index) const {
        const auto layer = fmt::format("{}{}{}.", half.prefix, names_.layer, index);
        const auto first = checkpoint_.tensors().lower_bound(layer);
        return first != checkpoint_.tensors().end() && first->first.starts_with(layer);
    }

    // Returns an extent of a matrix whose other extent must be `other`.
    std::int64_t extent(const std::string& name, std::int64_t other, std::size_t wanted, std::int64_t least,
                        std::int64_t most) const {
        const auto found = checkpoint_.tensors().find(name);
        const auto expected = wanted == 0 ? fmt::format("({} to {}, {})", least, most, other)
                                          : fmt::format("({}, {} to {})", other, least, most);
        if (found == checkpoint_.tensors().end()) fail(name, expected);
        const auto& shape = found->second.shape;
        if (shape.size() != 2 || shape[1 - wanted] != other || shape[wanted] < least || shape[wanted] > most)
            fail(name, expected);
        return shape[wanted];
    }

    [[noreturn]] void fail(const std::string& name, const std::string& expected) const {
        const auto found = checkpoint_.tensors().find(name);
        throw Error(fmt::format("{}: tensor {}: expected {}, found {}", displayName(checkpoint_.file()),
                                printable(name), expected,
                                found == checkpoint_.tensors().end()
                                    ? "none; the file may be cut or of another architecture"
                                    : tensor::describe(found->second.shape)));
    }

    std::int64_t countParameters(const TextHalf& half) const {
        const std::int64_t d = half.width, e = half.dimensions;
        const std::int64_t layer = 12 * d * d + 13 * d; // products with biases, and two norms
        const std::int64_t tables = (names_.tokens + half.positions) * d;
        if (half.vocabulary == Vocabulary::gpt2)
            return tables + half.layers * layer + 2 * d + d * e + e * e + 2 * e;
        return tables + d + 2 * d + half.layers * layer + (d + 1) * d + (d + 1) * e + (e + 1) * e;
    }

    // One layer is in memory at a time, twice while it is read, with the rows of a group of texts.
    void requireMemory(const TextHalf& half) const {
        constexpr std::uint64_t bytes = sizeof(float), rows = 1024;
        const auto d = static_cast<std::uint64_t>(half.width),
                   e = static_cast<std::uint64_t>(half.dimensions);
        const std::uint64_t layer = std::max(12 * d * d, d * e + 2 * e * e) * bytes;
        const std::uint64_t tables = static_cast<std::uint64_t>(half.positions) * d * bytes;
        model::requireMemory({.weights = layer + tables, .reading = layer, .pass = 10 * rows * d * bytes},
                             displayName(checkpoint_.file()));
    }

    const model::Checkpoint& checkpoint_;
    const Names& names_;
    std::string wrapper_; // before the published names, such as "module."
};

// Of several copies of a text half, the one beside the network that is used.
std::string usedWrapper(const model::Checkpoint& checkpoint, const std::vector<std::string>& wrappers) {
    if (wrappers.size() == 1 || model::networkPrefixes(checkpoint).empty()) return wrappers.front();
    const auto prefix = model::findNetworks(checkpoint).network().prefix;
    std::string used;
    bool found = false;
    for (const auto& wrapper : wrappers)
        if (prefix.starts_with(wrapper) && (!found || wrapper.size() > used.size())) {
            used = wrapper;
            found = true;
        }
    return found ? used : wrappers.front();
}

} // namespace

int TextHalf::maxTextLength() const {
    if (vocabulary == Vocabulary::gpt2) return positions;
    return std::min(static_cast<int>(laionLength), positions - laionPadding - 1);
}

std::string TextHalf::prompt(const std::string& sound) const {
    // examples/zero_shot_classification.py of microsoft/CLAP, and eval_zeroshot_classification.py of
    // LAION-AI/CLAP
    return vocabulary == Vocabulary::gpt2 ? "this is the sound of " + sound
                                          : "This is a sound of " + sound + ".";
}

std::optional<TextHalf> findTextHalf(const model::Checkpoint& checkpoint) {
    for (const Names& names : layouts) {
        std::vector<std::string> wrappers;
        // By either table: a file that lacks the other is cut.
        for (const auto table : {names.words, names.positions})
            for (const auto& item : checkpoint.tensors()) {
                const auto ending = std::string(names.encoder) + std::string(table);
                if (!item.first.ends_with(ending)) continue;
                const auto wrapper = item.first.substr(0, item.first.size() - ending.size());
                if ((wrapper.empty() || wrapper.back() == '.') &&
                    std::ranges::find(wrappers, wrapper) == wrappers.end())
                    wrappers.push_back(wrapper);
            }
        if (!wrappers.empty()) return Finder(checkpoint, names, usedWrapper(checkpoint, wrappers)).find();
    }
    return std::nullopt;
}

} // namespace earshot::text
