// Recordings as vectors: a row for each window. Windows lie at exact sample positions, have the length for
// which the model was published (EmbeddingPass.h), and get a log-mel spectrogram each.
//
// Windows begin at multiples of the hop. The last one is the first that reaches the recording's end; the part
// beyond it is filled as the published model does. Rows depend on the samples alone, not on how they are cut
// into blocks or on the number of threads. Memory does not grow with the recording. One thread at a time.
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
    std::optional<double> hop = std::nullopt; // seconds, at least one sample; by default a window
    int threads = 1;                          // windows that run at once, each on one thread
};

struct WindowEmbedding {
    double start = 0.0, end = 0.0; // seconds of the recording that the window covers
    std::span<const float> values; // (dimensions), valid during the call
};

class Embedder {
  public:
    using Receiver = std::function<void(const WindowEmbedding&)>;

    // Throws earshot::Error if the model has no embedding of that kind.
    Embedder(const std::shared_ptr<const model::Weights>& weights, const EmbeddingSettings& settings);
    ~Embedder();

    // Gets every row, in order, during push() and finish().
    void setReceiver(Receiver receiver);
    // Mono samples at the model's rate. Values that are not finite count as silence.
    void push(std::span<const float> samples);
    // Ends the recording. Call reset() before the next push.
    void finish();
    void reset();

    int dimensions() const;
    double windowSeconds() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// One vector for a recording: the mean of its windows' vectors, weighted by the seconds that each covers.
class MeanEmbedding {
  public:
    void add(const WindowEmbedding& window);
    // Empty if nothing was added. unitLength: normalised to length 1, like its windows' vectors.
    std::vector<float> mean(bool unitLength) const;

  private:
    std::vector<double> sums_;
    double seconds_ = 0.0;
};

} // namespace earshot::detection
