// One pass of the network that ends in a vector instead of probabilities. One thread at a time.
#pragma once

#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Network/Network.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace earshot::detection {

enum class EmbeddingKind {
    latent, // the mean of the network's last tokens (768)
    // CLAP models: a vector in the space that texts are embedded in too (1024 or 512)
    projected,
};

// Returns `projected` if the model has it, else `latent`.
EmbeddingKind usualEmbedding(const model::Weights& weights);
int embeddingDimensions(const model::Weights& weights, EmbeddingKind kind);
// Returns whether the model's vectors of that kind have length 1.
bool hasUnitLength(const model::Weights& weights, EmbeddingKind kind);

class EmbeddingPass {
  public:
    // Throws earshot::Error if the model has no embedding of that kind.
    EmbeddingPass(std::shared_ptr<const model::Weights> weights, EmbeddingKind kind);

    // logMel: (frames, melBands) in dB, as for Network::run, and with its errors. Valid until the next run.
    std::span<const float> run(std::span<const float> logMel);
    const model::Config& config() const { return network_.config(); }

  private:
    model::Network network_;
    std::optional<model::ClapProjection> projection_;
};

// The clip length that a model's embeddings are published for: 7 s (Microsoft CLAP) or 10 s (LAION-CLAP, and
// HTS-AT trained on AudioSet), limited to what one pass can take.
struct ClipShape {
    std::int64_t samples = 0; // at the model's rate
    std::int64_t frames = 0;  // log-mel frames; the network stretches them to a whole window
    // How a shorter clip is filled up. Microsoft repeats the clip to the end. LAION repeats it as often as it
    // fits whole, then adds silence ("repeatpad").
    bool silenceFollowsRepeats = false;
};
ClipShape publishedClip(const model::Weights& weights);

} // namespace earshot::detection
