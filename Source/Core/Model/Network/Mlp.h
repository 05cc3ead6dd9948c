// The second half of a Swin block, x += contract(gelu(expand(norm2(x)))), or in V2
// x += norm2(contract(gelu(expand(x)))). It runs in chunks of rows, so that
// a chunk's hidden values stay in the nearest caches between the two layers. One thread at a time (it splits
// the work itself); allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <functional>
#include <span>
#include <vector>

namespace earshot::model {

// Rows of one chunk in a stage. Each thread takes whole chunks if there are several; if there is only one,
// the threads share each layer.
std::int64_t mlpRows(const Config& config, int stage);

// oneDNN's scratch for each thread that takes chunks; allocated on first use.
class MlpScratch {
  public:
    explicit MlpScratch(std::int64_t floatsPerThread)
        : floats_(floatsPerThread) {}

    float* of(std::size_t thread) {
        while (perThread_.size() <= thread) perThread_.push_back(tensor::Tensor({floats_}));
        return perThread_[thread].data();
    }
    std::size_t bytes() const {
        return perThread_.size() * static_cast<std::size_t>(floats_) * sizeof(float);
    }

  private:
    std::int64_t floats_;
    std::vector<tensor::Tensor> perThread_;
};

// Buffers that the MLPs of a pass use in turn.
struct MlpBuffers {
    std::byte* normed; // (tokens, C) of NetworkWeights::activations; in V2 of float32
    std::byte* hidden; // (tokens, mlpRatio * C) of the same type
    MlpScratch* scratch;
};

class Mlp {
  public:
    // x: (tokens, C), updated in place. All references outlive this object.
    Mlp(const BlockWeights& weights, float* x, const MlpBuffers& buffers);

    // Receives the two layers' inputs for each chunk: (rows, C) and (rows, mlpRatio * C). V1 in float32 on
    // one thread only.
    using Observer = std::function<void(std::span<const float> normed, std::span<const float> hidden)>;
    void run(const Observer& observer = {});

  private:
    // One thread's buffers and layer calls.
    struct Hand {
        std::byte* normed; // in V2 the chunk's rows, later contract's result
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
