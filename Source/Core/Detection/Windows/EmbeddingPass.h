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
    latent,    // the mean of the network's last tokens (768)
    projected, // CLAP models: the space of text embeddings (1024 or 512)
};

// The model's projected embedding if it has one, else its latent one.
EmbeddingKind usualEmbedding(const model::Weights& weights);
int embeddingDimensions(const model::Weights& weights, EmbeddingKind kind);
// Whether the model's vectors of that kind have length 1.
bool hasUnitLength(const model::Weights& weights, EmbeddingKind kind);

class EmbeddingPass {
  public:
    // Throws earshot::Error when the model has no such embedding.
    EmbeddingPass(std::shared_ptr<const model::Weights> weights, EmbeddingKind kind);

    // logMel: (frames, melBands) in dB, as for Network::run. Valid until the next run.
    std::span<const float> run(std::span<const float> logMel);
    const model::Config& config() const { return network_.config(); }

  private:
    model::Network network_;
    std::optional<model::ClapProjection> projection_;
};

// The length of the clips for which a model's embeddings are published: 7 s (Microsoft CLAP), 10 s
// (LAION-CLAP, and AudioSet for HTS-AT), if a pass can take that much.
struct ClipShape {
    std::int64_t samples = 0; // at the model's rate
    std::int64_t frames = 0;  // of log-mel; stretched to a whole window by the network
    // How a shorter clip is filled. Microsoft repeats the clip. LAION repeats it as often as it fits whole,
    // and then adds silence ("repeatpad").
    bool silenceFollowsRepeats = false;
};
ClipShape publishedClip(const model::Weights& weights);

} // namespace earshot::detection
