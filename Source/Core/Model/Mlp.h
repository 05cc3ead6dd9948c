// The second half of a Swin block, x += contract(gelu(expand(norm2(x)))), in chunks of rows whose hidden
// values stay in the nearest caches between the two layers. One thread at a time (it splits the work itself);
// allocates only when the thread count grows.
#pragma once

#include "Core/Model/NetworkWeights.h"

#include <functional>
#include <span>
#include <vector>

namespace earshot::model {

// Rows of the MLP's calls in a stage. Several chunks: threads share them out; one: they share out each layer.
std::int64_t mlpRows(const Config& config, int stage);

// Buffers that the MLPs of a pass take turns with.
struct MlpBuffers {
    std::byte* normed;            // (tokens, C) of NetworkWeights::activations
    std::byte* hidden;            // (tokens, mlpRatio * C) likewise
    float* scratch;               // oneDNN's, for each of mostMlpChunks() threads
    std::size_t scratchPerThread; // floats
};
// How many threads work on chunks of their own, at most.
int mostMlpChunks(const Config& config);

class Mlp {
  public:
    // x: (tokens, C), updated in place. All references outlive this object.
    Mlp(const BlockWeights& weights, float* x, const MlpBuffers& buffers);

    // Sees what the two layers read, (rows, C) and (rows, mlpRatio * C), of one chunk. In float32, on one
    // thread.
    using Observer = std::function<void(std::span<const float> normed, std::span<const float> hidden)>;
    void run(const Observer& observer = {});

  private:
    // What a thread needs of its own.
    struct Hand {
        std::byte* normed;
        std::byte* hidden;
        tensor::LinearCall expand, contract;
    };

    std::int64_t chunks() const { return weights_.qkv.rows() / weights_.expand.rows(); }
    void reserve(int threads);
    void runChunk(std::int64_t chunk, Hand& hand, const Observer& observer);
    void gelu(std::byte* hidden) const;

    const BlockWeights& weights_;
    float* x_;
    MlpBuffers buffers_;
    std::vector<Hand> hands_;
};

} // namespace earshot::model
