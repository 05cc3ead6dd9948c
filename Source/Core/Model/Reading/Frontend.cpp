#include "Core/Model/Reading/Frontend.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/RegularFile.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Model/Reading/ImageModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace earshot::model {

namespace {

// The classes of Speech Commands V2 (Warden 2018, https://arxiv.org/abs/1804.03209)
constexpr std::array<std::string_view, 35> speechCommands = {
    "backward", "bed",  "bird", "cat",   "dog",    "down",  "eight",  "five",   "follow",
    "forward",  "four", "go",   "happy", "house",  "learn", "left",   "marvin", "nine",
    "no",       "off",  "on",   "one",   "right",  "seven", "sheila", "six",    "stop",
    "three",    "tree", "two",  "up",    "visual", "wow",   "yes",    "zero"};
constexpr int speechRate = 16000;
constexpr int microsoftMatrix = 32000; // the rate of its mel matrix, not of its audio
constexpr std::array publishedRates = {32000, speechRate, 48000};

struct ChosenValue {
    int value = 0;
    Origin origin = Origin::assumed;
};

bool isMicrosoft(const CheckpointLayout& layout) { return layout.kind == microsoftKind; }

// What names the classes, in the file or beside it, as it is written; null: nothing does.
std::optional<std::string> classNames(const Checkpoint& checkpoint) {
    constexpr std::uint64_t maxBytes = 4u << 20;
    if (const auto own = checkpoint.metadata().find("earshot.labels"); own != checkpoint.metadata().end())
        return own->second;
    try {
        if (const auto file = labelFileBeside(checkpoint.file()))
            return readWholeFile(*file, maxBytes, "list of labels");
    } catch (const Error&) {
        logCaught("names of classes"); // whoever reads the labels says why
        return std::nullopt;
    }
    return std::nullopt;
}

std::set<std::string> wordsOf(std::string_view text) {
    std::set<std::string> words;
    std::string word;
    for (const char c : std::string(text) + ' ') {
        const auto lower = static_cast<char>(c | 0x20);
        if (lower >= 'a' && lower <= 'z') {
            word += lower;
        } else if (!word.empty()) {
            words.insert(std::exchange(word, {}));
        }
    }
    return words;
}

// Why a model would be one of Speech Commands V2; empty: it is not known to be.
std::string whySpeechCommands(const Checkpoint& checkpoint, int classes) {
    if (const auto names = classNames(checkpoint)) {
        const auto words = wordsOf(*names);
        const bool all = std::ranges::all_of(
            speechCommands, [&](std::string_view word) { return words.contains(std::string(word)); });
        return all ? "its classes are the words of Speech Commands V2" : "";
    }
    if (classes != static_cast<int>(speechCommands.size())) return {};
    return fmt::format("it has {} classes, as models of Speech Commands V2 have, and nothing names them",
                       classes);
}

ChosenValue rateOf(CheckpointLayout& layout, const Checkpoint& checkpoint, const PartialConfig& stated) {
    const ReadingChoice& choice = checkpoint.choice();
    if (choice.sampleRate) return {*choice.sampleRate, Origin::user};
    if (stated.sampleRate) return {*stated.sampleRate, Origin::file};
    const auto& mel = layout.mel;
    const int published = publishedFrontend(layout.kind).sampleRate;
    if (mel && !(isMicrosoft(layout) && mel->sampleRate == microsoftMatrix))
        return {mel->sampleRate, Origin::matrix};
    if (layout.kind != htsatKind) return {published, Origin::published};
    std::string& why = layout.origins.assumption;
    why = whySpeechCommands(checkpoint, layout.config.classes);
    if (!why.empty()) return {speechRate, Origin::assumed};
    why = "as of published HTS-AT models";
    return {published, Origin::assumed};
}

bool isPublishedMatrix(const CheckpointLayout& layout) {
    if (!layout.mel || layout.config.fftSize != 1024 || layout.config.melBands != 64) return false;
    const MelSettings published{.sampleRate = layout.mel->sampleRate, .lowHz = 50.0, .highHz = 14000.0};
    return *layout.mel == published && std::ranges::count(publishedRates, published.sampleRate) > 0;
}

// Frames of 10 ms, which all published settings have but Microsoft's.
ChosenValue hopOf(const CheckpointLayout& layout, const ReadingChoice& choice, const PartialConfig& stated) {
    if (choice.hopSize) return {*choice.hopSize, Origin::user};
    if (stated.hopSize) return {*stated.hopSize, Origin::file};
    const Config& config = layout.config;
    const auto published = publishedFrontend(layout.kind);
    if (layout.kind != htsatKind && config.sampleRate == published.sampleRate)
        return {published.hopSize, Origin::published};
    const int hundredth = static_cast<int>(std::lround(config.sampleRate / 100.0));
    if (isPublishedMatrix(layout) && layout.mel->sampleRate == config.sampleRate)
        return {hundredth, Origin::published};
    // Frames that leave gaps are unlikely.
    return {std::max(1, hundredth <= config.fftSize ? hundredth : config.fftSize / 2), Origin::assumed};
}

} // namespace

PublishedFrontend publishedFrontend(std::string_view kind) {
    if (kind == microsoftKind) return {.sampleRate = 44100, .hopSize = 320};
    if (kind == laionKind) return {.sampleRate = 48000, .hopSize = 480};
    return {.sampleRate = 32000, .hopSize = 320};
}

std::optional<MelSettings> readMelSettings(Checkpoint& checkpoint) {
    if (networkPrefixes(checkpoint).empty() || findImageModel(checkpoint)) return std::nullopt;
    const auto name = findNetworks(checkpoint).network().prefix + "logmel_extractor.melW";
    const auto found = checkpoint.tensors().find(name);
    if (found == checkpoint.tensors().end()) return std::nullopt;
    const auto& shape = found->second.shape; // (bins, bands)
    if (shape.size() != 2 || shape[0] < 2 || shape[1] < 1 || shape[0] > maxMelMatrix / shape[1])
        return std::nullopt;
    const auto matrix = checkpoint.read(name);
    return recoverMelSettings(matrix.values(), static_cast<int>(shape[0]), static_cast<int>(shape[1]));
}

void completeFrontend(CheckpointLayout& layout, const Checkpoint& checkpoint, const PartialConfig& stated) {
    Config& config = layout.config;
    auto& origins = layout.origins;
    const auto rate = rateOf(layout, checkpoint, stated);
    config.sampleRate = rate.value;
    origins.sampleRate = rate.origin;
    const auto hop = hopOf(layout, checkpoint.choice(), stated);
    config.hopSize = hop.value;
    origins.hopSize = hop.origin;
    const double nyquist = config.sampleRate / 2.0;
    if (const auto& mel = layout.mel; mel && mel->lowHz < nyquist) {
        config.lowHz = mel->lowHz;
        config.highHz = mel->highHz;
        config.htkMelScale = mel->scale == frontend::MelScale::htk;
        origins.bands = Origin::matrix;
    }
    config.lowHz = stated.lowHz.value_or(config.lowHz);
    config.highHz = stated.highHz.value_or(std::min(config.highHz, nyquist));
    config.htkMelScale = stated.htkMelScale.value_or(config.htkMelScale);
    if (origins.bands == Origin::assumed && (stated.lowHz || stated.highHz || stated.htkMelScale))
        origins.bands = Origin::file;
}

} // namespace earshot::model
