#include "Core/Model/Reading/Networks.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

namespace earshot::model {

namespace {

// The published layouts. Of several networks, the layout that comes first in this table wins.
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

constexpr std::array<std::string_view, 7> averageWords = {"ema", "averaged", "average", "avg",
                                                          "swa", "polyak",   "shadow"};
// Optimisers keep averages of gradients, such as Adam's exp_avg.
constexpr std::array<std::string_view, 6> optimiserWords = {"exp",   "grad",      "momentum",
                                                            "optim", "optimizer", "optimiser"};
// A teacher and its student; BYOL's names for the same.
constexpr std::array<std::string_view, 2> teacherWords = {"teacher", "target"};
constexpr std::array<std::string_view, 2> studentWords = {"student", "online"};
constexpr std::size_t maxNetworks = 64; // a training stores a handful
// Lightning's WeightAveraging moves the raw weights here and puts the averaged ones into state_dict.
constexpr std::string_view movedRaw = "current_model_state", movedTo = "state_dict";

bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Whether a name has one of the words: "sed_teacher.module" and "modelEma" have two each.
bool hasWord(std::string_view name, std::span<const std::string_view> words) {
    std::string word;
    const auto ends = [&] {
        const bool found = std::ranges::find(words, word) != words.end();
        word.clear();
        return found;
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool begins = isUpper(c) && i > 0 && isLower(name[i - 1]);
        if ((begins || !(isLower(c) || isUpper(c))) && ends()) return true;
        if (isLower(c) || isUpper(c)) word += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return ends();
}

// The trained tensors of the network, after its prefix.
bool isTrained(std::string_view name) {
    constexpr std::array<std::string_view, 4> beginnings = {"bn0.", "layers.", "norm.", "patch_embed."};
    return std::ranges::any_of(beginnings, [&](auto beginning) { return name.starts_with(beginning); });
}

// Whether `copy` has all trained tensors of `network`, in the same shapes.
bool mirrors(const Checkpoint& checkpoint, const std::string& copy, const std::string& network) {
    const auto& tensors = checkpoint.tensors();
    for (auto item = tensors.lower_bound(network); item != tensors.end() && item->first.starts_with(network);
         ++item) {
        const auto name = std::string_view(item->first).substr(network.size());
        if (!isTrained(name)) continue;
        const auto other = tensors.find(copy + std::string(name));
        if (other == tensors.end() || other->second.shape != item->second.shape) return false;
    }
    return true;
}

const char* kindOf(std::string_view prefix) {
    for (const auto& known : knownLayouts)
        if (prefix == known.prefix || (!known.prefix.empty() && prefix.ends_with(known.prefix)))
            return known.kind;
    return htsatKind;
}

std::string nameForUsers(const Checkpoint& checkpoint, const std::string& prefix, bool isOuter) {
    auto name =
        isOuter ? prefix : checkpoint.dictionary() + (checkpoint.dictionary().empty() ? "" : ".") + prefix;
    while (name.ends_with('.')) name.pop_back();
    return name;
}

std::vector<FoundNetwork> listNetworks(const Checkpoint& checkpoint) {
    std::vector<FoundNetwork> all;
    for (const auto& prefix : networkPrefixes(checkpoint)) {
        const bool isOuter = std::ranges::any_of(checkpoint.otherDictionaries(), [&](const auto& other) {
            return prefix.starts_with(other + ".");
        });
        FoundNetwork network{.prefix = prefix,
                             .name = nameForUsers(checkpoint, prefix, isOuter),
                             .kind = kindOf(prefix),
                             .weights = WeightsKind::raw,
                             .averaged = false};
        network.averaged = namesAverage(network.name);
        if (hasWord(network.name, teacherWords))
            network.weights = WeightsKind::teacher;
        else if (network.averaged)
            network.weights = WeightsKind::ema;
        all.push_back(std::move(network));
    }
    return all;
}

// What a name says only beside that of another.
void compareNames(const Checkpoint& checkpoint, std::vector<FoundNetwork>& all) {
    const bool wasMoved =
        std::ranges::any_of(all, [](const auto& network) { return network.name.starts_with(movedRaw); });
    for (auto& network : all) {
        if (wasMoved && network.name.starts_with(movedTo)) {
            network.weights = WeightsKind::ema;
            network.averaged = true;
        }
        if (network.weights != WeightsKind::teacher) continue;
        network.averaged |= std::ranges::any_of(all, [&](const FoundNetwork& other) {
            return hasWord(other.name, studentWords) && other.weights == WeightsKind::raw &&
                   mirrors(checkpoint, network.prefix, other.prefix);
        });
    }
}

void refuseOtherLayouts(const Checkpoint& checkpoint, const std::vector<FoundNetwork>& all) {
    const auto file = displayName(checkpoint.file());
    const bool isCnn14 = std::ranges::any_of(checkpoint.tensors(), [](const auto& item) {
        return item.first.find("audio_encoder.base.conv_block1.") != std::string::npos;
    });
    if (all.empty() && isCnn14)
        throw Error(
            fmt::format("{}: holds no HTS-AT network: the audio half of Microsoft CLAP 2022 is a Cnn14; use "
                        "CLAP_weights_2023.pth (see the manual, Models)",
                        file));
    if (all.empty())
        throw Error(
            fmt::format("{}: holds no HTS-AT network (no tensor is named ...patch_embed.proj.weight)", file));
    for (const auto& network : all)
        if (checkpoint.contains(network.prefix + "layers.0.blocks.0.attention.self.query.weight"))
            throw Error(
                fmt::format("{}: is in the layout of Hugging Face's library transformers, which Earshot does "
                            "not read; use the .pt file of LAION-CLAP (see the manual, Models)",
                            file));
}

using NetworkIndices = std::vector<std::size_t>;

template <typename Accept>
NetworkIndices indicesOf(const std::vector<FoundNetwork>& all, Accept accept) {
    NetworkIndices found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (accept(all[i])) found.push_back(i);
    return found;
}

// Of several networks, that of a published layout.
std::size_t firstPublished(const std::vector<FoundNetwork>& all, const NetworkIndices& some) {
    for (const auto& known : knownLayouts)
        for (const auto i : some)
            if (all[i].prefix == known.prefix) return i;
    // A known layout inside a wrapper, such as "module." of a parallel run; else a plain network.
    for (const auto& known : knownLayouts)
        for (const auto i : some)
            if (!known.prefix.empty() && all[i].prefix.ends_with(known.prefix)) return i;
    return some.front();
}

std::size_t askedFor(const Checkpoint& checkpoint, const FoundNetworks& found, WeightsKind kind) {
    auto some = indicesOf(found.all, [&](const FoundNetwork& it) { return it.weights == kind; });
    // A mean teacher is the average of its student.
    if (some.empty() && kind == WeightsKind::ema)
        some = indicesOf(found.all, [](const FoundNetwork& it) { return it.averaged; });
    if (some.empty())
        throw Error(fmt::format("{}: --weights {}: there is no such network; the file holds {}",
                                displayName(checkpoint.file()), nameOf(kind), found.describe()));
    return firstPublished(found.all, some);
}

} // namespace

const char* nameOf(WeightsKind kind) {
    switch (kind) {
    case WeightsKind::raw:
        return "raw";
    case WeightsKind::ema:
        return "ema";
    case WeightsKind::teacher:
        return "teacher";
    }
    return "";
}

std::string FoundNetwork::shownName() const {
    return name.empty() ? "the one without a prefix" : printable(name);
}

std::string FoundNetworks::describe() const {
    std::vector<std::string> names;
    for (const auto& network : all)
        names.push_back(fmt::format("{} ({})", network.shownName(), nameOf(network.weights)));
    if (names.size() == 1) return "one network, " + names.front();
    const auto last = names.back();
    names.pop_back();
    return fmt::format("{} networks, {} and {}", all.size(), fmt::join(names, ", "), last);
}

std::vector<std::string> networkPrefixes(const Checkpoint& checkpoint) {
    constexpr std::string_view ending = "patch_embed.proj.weight";
    std::vector<std::string> prefixes;
    for (const auto& item : checkpoint.tensors()) {
        const std::string_view tensorName = item.first;
        if (!tensorName.ends_with(ending)) continue;
        const auto prefix = tensorName.substr(0, tensorName.size() - ending.size());
        if (!prefix.empty() && prefix.back() != '.') continue;
        if (prefixes.size() == maxNetworks)
            throw Error(fmt::format("{}: holds more than {} networks; save one of them alone",
                                    displayName(checkpoint.file()), maxNetworks));
        prefixes.emplace_back(prefix);
    }
    return prefixes;
}

FoundNetworks findNetworks(const Checkpoint& checkpoint) {
    FoundNetworks found{listNetworks(checkpoint), 0};
    refuseOtherLayouts(checkpoint, found.all);
    compareNames(checkpoint, found.all);
    std::ranges::stable_sort(found.all, {}, &FoundNetwork::weights);
    if (const auto kind = checkpoint.choice().weights) {
        found.used = askedFor(checkpoint, found, *kind);
        return found;
    }
    const auto raws =
        indicesOf(found.all, [](const FoundNetwork& it) { return it.weights == WeightsKind::raw; });
    if (raws.empty()) {
        found.used =
            firstPublished(found.all, indicesOf(found.all, [](const FoundNetwork&) { return true; }));
        return found;
    }
    found.used = firstPublished(found.all, raws);
    const auto raw = found.network().prefix;
    const auto averages = indicesOf(found.all, [&](const FoundNetwork& it) {
        return it.averaged && mirrors(checkpoint, it.prefix, raw);
    });
    if (!averages.empty()) found.used = firstPublished(found.all, averages);
    return found;
}

bool namesAverage(std::string_view name) {
    return hasWord(name, averageWords) && !hasWord(name, optimiserWords);
}

} // namespace earshot::model
