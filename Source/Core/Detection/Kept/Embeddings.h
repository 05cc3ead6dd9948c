// Recordings as vectors: a row for each of a recording's windows, which lie at exact sample positions and are
// what the model was published for (EmbeddingPass.h), each with a log-mel spectrogram of its own.
//
// Windows begin at multiples of the hop; the last one is the first that reaches the recording's end, and
// where it reaches beyond, it is filled up as the published model does. Rows depend on the samples alone: not
// on how they are cut into blocks, nor on the number of threads. Memory does not grow with the recording. One
// thread at a time.
#pragma once

#include "Core/Detection/Windows/EmbeddingPass.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace earshot::detection {

struct EmbeddingSettings {
    EmbeddingKind kind = EmbeddingKind::latent;
    std::optional<double> hop = std::nullopt; // seconds, at least one sample; else a window
    int threads = 1;                          // windows run at once, each on one of them
};

struct WindowEmbedding {
    double start = 0.0, end = 0.0; // seconds of the recording that it heard
    std::span<const float> values; // (dimensions), valid during the call
};

class Embedder {
  public:
    using Receiver = std::function<void(const WindowEmbedding&)>;

    // Throws earshot::Error when the model has no embedding of that kind.
    Embedder(const std::shared_ptr<const model::Weights>& weights, const EmbeddingSettings& settings);
    ~Embedder();

    // Gets every row, in order, during push() and finish().
    void setReceiver(Receiver receiver);
    // Mono samples at the model's rate. Values that are not finite count as silence.
    void push(std::span<const float> samples);
    // The recording ends. Call reset() before pushing again.
    void finish();
    void reset();

    int dimensions() const;
    double windowSeconds() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// One vector for a recording: the mean of its windows' vectors, each by the seconds that it heard.
class MeanEmbedding {
  public:
    void add(const WindowEmbedding& window);
    // Empty when nothing was added. unitLength: divided by its length, as the vectors it is made of.
    std::vector<float> mean(bool unitLength) const;

  private:
    std::vector<double> sums_;
    double seconds_ = 0.0;
};

} // namespace earshot::detection
