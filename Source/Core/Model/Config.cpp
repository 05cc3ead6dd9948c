#include "Core/Model/Config.h"

#include "Core/Base/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::model {

namespace {

void requireRange(const char* what, int value, int low, int high) {
    if (value < low || value > high)
        throw Error(fmt::format("{}: expected {} to {}, found {}", what, low, high, value));
}

void requireMultiple(const char* what, int value, const char* ofWhat, int divisor) {
    if (value % divisor != 0)
        throw Error(
            fmt::format("{}: expected a multiple of the {} ({}), found {}", what, ofWhat, divisor, value));
}

// Rejects a spectrogram that takes one core more than about a second for each second of sound: a live stream
// would fall behind, and a recording would take too long. HTS-AT's takes 12 million operations a second.
void requireAffordable(const Config& config) {
    constexpr double maxOperations = 4e9; // for a second of sound; roughly what a core does in a second
    constexpr double perFrame = 5000;     // fixed cost of a frame: logarithms, copies, storage
    const double size = config.fftSize;
    const double fft = 2.5 * size * std::log2(size); // of real values
    const double mel = 2.0 * (size / 2 + 1) * config.melBands;
    const double operations = (fft + mel + perFrame) * config.sampleRate / config.hopSize;
    if (operations > maxOperations)
        throw Error(
            fmt::format("spectrogram: an FFT of {} samples and {} mel bands at every {} samples of {} "
                        "Hz takes {:.0f} million operations for a second of sound, at most {:.0f} are "
                        "allowed",
                        config.fftSize, config.melBands, config.hopSize, config.sampleRate, operations / 1e6,
                        maxOperations / 1e6));
}

void validateFrontend(const Config& config) {
    requireRange("sample rate", config.sampleRate, 1000, 768000);
    requireRange("FFT size", config.fftSize, 16, 65536);
    requireMultiple("FFT size", config.fftSize, "step", 2);
    requireRange("hop size", config.hopSize, 1, config.fftSize);
    requireRange("mel bands", config.melBands, 1, std::min(1024, config.fftSize / 2 + 1));
    requireAffordable(config);
    const double nyquist = config.sampleRate / 2.0;
    if (!(config.lowHz >= 0.0 && config.lowHz < config.highHz && config.highHz <= nyquist))
        throw Error(fmt::format("mel range: expected 0 <= low < high <= {} Hz, found {} to {} Hz", nyquist,
                                config.lowHz, config.highHz));
}

void validateStages(const Config& config) {
    requireRange("stages", static_cast<int>(config.depths.size()), 1, 8);
    requireRange("stages with heads", static_cast<int>(config.heads.size()), config.stageCount(),
                 config.stageCount());
    requireRange("embedding width", config.embedDim, 1, 4096);
    requireRange("latent width", config.latentDim(), 1, 1 << 16);
    requireRange("side of an attention window", config.attentionSide, 1, 32);
    requireRange("MLP ratio", config.mlpRatio, 1, 16);
    requireMultiple("grid of patches", config.stageGrid(0), "merging of its stages",
                    1 << (config.stageCount() - 1));
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        const auto i = static_cast<std::size_t>(stage);
        requireRange("depth of a stage", config.depths[i], 1, 128);
        requireRange("heads of a stage", config.heads[i], 1, config.stageDim(stage));
        requireMultiple("width of a stage", config.stageDim(stage), "heads", config.heads[i]);
        requireMultiple("grid of a stage", config.stageGrid(stage), "attention window",
                        config.stageAttentionSide(stage));
    }
}

// V2's biases depend on distances as fractions of the attention window's reach, which is 0 for one token.
void validateBlocks(const Config& config) {
    if (config.block == BlockKind::v1) {
        requireRange("stages with a pretrained attention window of V1 blocks",
                     static_cast<int>(config.pretrainedSides.size()), 0, 0);
        return;
    }
    if (!config.pretrainedSides.empty())
        requireRange("stages with a pretrained attention window",
                     static_cast<int>(config.pretrainedSides.size()), config.stageCount(),
                     config.stageCount());
    for (int stage = 0; stage < config.stageCount(); ++stage) {
        requireRange("side of an attention window of V2 blocks", config.stageAttentionSide(stage), 2, 32);
        requireRange("side of a pretrained attention window", config.pretrainedSide(stage), 2, 64);
    }
}

void validateHead(const Config& config) {
    requireRange("classes", config.classes, 1, 1 << 16);
    if (config.head != HeadKind::fine) {
        requireRange("width of a head that is not fine", config.headWidth, 0, 0);
        requireRange("layers of a head that is not fine", config.headLayers, 0, 0);
        return;
    }
    requireRange("stages of a network with a fine head", config.stageCount(), 2, 8);
    requireRange("width of the fine head", config.headWidth, 1, 4096);
    requireRange("layers of the fine head", config.headLayers, 0, 16);
}

} // namespace

const char* nameOf(HeadKind head) {
    switch (head) {
    case HeadKind::pooled:
        return "pooled";
    case HeadKind::tscam:
        return "tscam";
    case HeadKind::fine:
        return "fine";
    }
    return "";
}

const char* nameOf(BlockKind block) { return block == BlockKind::v2 ? "v2" : "v1"; }

void Config::validate() const {
    validateFrontend(*this);
    requireRange("image size", imageSize, 16, 4096);
    requireMultiple("image size", imageSize, "mel bands", melBands);
    requireRange("patch size", patchSize, 1, 64);
    requireRange("patch stride", patchStride, 1, patchSize);
    requireMultiple("image size", imageSize, "patch stride", patchStride);
    requireRange("patches a side", stageGrid(0), 1, 512);
    validateStages(*this);
    validateBlocks(*this);
    requireMultiple("rows of the last grid", stageGrid(stageCount() - 1), "time segments", timeSegments());
    validateHead(*this);
}

} // namespace earshot::model
