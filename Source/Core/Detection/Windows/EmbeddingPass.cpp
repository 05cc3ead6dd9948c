#include "Core/Detection/Windows/EmbeddingPass.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/ConfigReader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace earshot::detection {

namespace {

constexpr int microsoftSeconds = 7;
constexpr int usualSeconds = 10;

} // namespace

EmbeddingKind usualEmbedding(const model::Weights& weights) {
    return weights.projection() ? EmbeddingKind::projected : EmbeddingKind::latent;
}

int embeddingDimensions(const model::Weights& weights, EmbeddingKind kind) {
    if (kind == EmbeddingKind::latent) return weights.config().latentDim();
    if (!weights.projection())
        throw Error(fmt::format("{}: has no projected embedding ({}); use its latent one, or a CLAP model",
                                displayName(weights.file()),
                                weights.kind() == model::htsatKind ? "it is no CLAP model"
                                                                   : "its file holds no projection"));
    return weights.projection()->dimensions();
}

bool hasUnitLength(const model::Weights& weights, EmbeddingKind kind) {
    return kind == EmbeddingKind::projected && weights.kind() == model::laionKind;
}

EmbeddingPass::EmbeddingPass(std::shared_ptr<const model::Weights> weights, EmbeddingKind kind)
    : network_(weights) {
    embeddingDimensions(*weights, kind); // throws where there are none
    if (kind == EmbeddingKind::projected) projection_.emplace(std::move(weights));
}

std::span<const float> EmbeddingPass::run(std::span<const float> logMel) {
    const auto latent = network_.run(logMel).latent;
    return projection_ ? projection_->run(latent) : latent;
}

ClipShape publishedClip(const model::Weights& weights) {
    const model::Config& config = weights.config();
    const std::int64_t seconds = weights.kind() == model::microsoftKind ? microsoftSeconds : usualSeconds;
    const std::int64_t hop = config.hopSize;
    ClipShape clip;
    clip.samples = std::min(seconds * config.sampleRate, (config.windowFrames() - 1) * hop);
    clip.frames = clip.samples / hop + 1;
    clip.silenceFollowsRepeats = weights.kind() == model::laionKind;
    return clip;
}

} // namespace earshot::detection
