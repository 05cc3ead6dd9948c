// Turns recordings into vectors: one row for each window of a recording. Windows lie at exact sample
// positions, have the length that the model was published for (EmbeddingPass.h), and each has its own log-mel
// spectrogram.
//
// Windows begin at multiples of the hop. The last window is the first one that reaches the recording's end;
// if it extends beyond, it is filled up as the published model does. Rows depend on the samples alone, not on
// the block size or the number of threads. Memory does not grow with the recording. One thread at a time.
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
    // seconds, at least one sample; none: the length of a window
    std::optional<double> hop = std::nullopt;
    int threads = 1; // how many windows run at the same time, each on its own thread
};

struct WindowEmbedding {
    double start = 0.0, end = 0.0; // seconds: the part of the recording that the window covers
    std::span<const float> values; // (dimensions), valid during the call
};

class Embedder {
  public:
    using Receiver = std::function<void(const WindowEmbedding&)>;

    // Throws earshot::Error if the model has no embedding of that kind.
    Embedder(const std::shared_ptr<const model::Weights>& weights, const EmbeddingSettings& settings);
    ~Embedder();

    // Sets the function that gets every row, in order, during push() and finish().
    void setReceiver(Receiver receiver);
    // Takes mono samples at the model's rate. Values that are not finite count as silence.
    void push(std::span<const float> samples);
    // Ends the recording. Call reset() before pushing again.
    void finish();
    void reset();

    int dimensions() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// One vector for a recording: the mean of its windows' vectors, weighted by the seconds that each covers.
class MeanEmbedding {
  public:
    void add(const WindowEmbedding& window);
    // Returns an empty vector if nothing was added. unitLength: scale the mean to length 1, the length of the
    // added vectors.
    std::vector<float> mean(bool unitLength) const;

  private:
    std::vector<double> sums_;
    double seconds_ = 0.0;
};

} // namespace earshot::detection
