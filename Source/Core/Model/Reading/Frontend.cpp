#include "Core/Model/Reading/Frontend.h"

#include "Core/Model/Reading/ImageModel.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace earshot::model {

namespace {

constexpr int speechCommands = 35; // classes of Speech Commands V2
constexpr int speechRate = 16000;
constexpr int microsoftMatrix = 32000; // the rate of its mel matrix, not of its audio
constexpr std::array publishedRates = {32000, speechRate, 48000};

struct ChosenValue {
    int value = 0;
    Origin origin = Origin::assumed;
};

bool isMicrosoft(const CheckpointLayout& layout) { return layout.kind == microsoftKind; }

ChosenValue rateOf(const CheckpointLayout& layout, const ReadingChoice& choice, const PartialConfig& stated) {
    if (choice.sampleRate) return {*choice.sampleRate, Origin::user};
    if (stated.sampleRate) return {*stated.sampleRate, Origin::file};
    const auto& mel = layout.mel;
    const int published = publishedFrontend(layout.kind).sampleRate;
    if (mel && !(isMicrosoft(layout) && mel->sampleRate == microsoftMatrix))
        return {mel->sampleRate, Origin::matrix};
    if (layout.kind != htsatKind) return {published, Origin::published};
    if (layout.config.classes == speechCommands) return {speechRate, Origin::assumed};
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

void completeFrontend(CheckpointLayout& layout, const ReadingChoice& choice, const PartialConfig& stated) {
    Config& config = layout.config;
    auto& origins = layout.origins;
    const auto rate = rateOf(layout, choice, stated);
    config.sampleRate = rate.value;
    origins.sampleRate = rate.origin;
    const auto hop = hopOf(layout, choice, stated);
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
