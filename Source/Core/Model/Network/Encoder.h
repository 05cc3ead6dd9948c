// The Swin encoder of one pass: patch embedding, stages of blocks with merging between them, final norm.
// It owns the residual stream of every stage and the buffers that the blocks share.
// One thread at a time; a pass allocates only when the thread count grows.
#pragma once

#include "Core/Model/Network/NetworkWeights.h"
#include "Core/Model/Network/PatchEmbed.h"
#include "Core/Model/Network/PatchMerging.h"
#include "Core/Model/Network/StripStage.h"
#include "Core/Model/Network/SwinBlock.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace earshot::model {

class Encoder {
  public:
    Encoder(const NetworkWeights& weights, const Config& config);

    // image: (imageSize, imageSize)
    void embed(std::span<const float> image);
    SwinBlock& block(int stage, int index);
    // Halves the grid for the next stage. The last stage has no merging.
    void merge(int stage);
    void normalise();
    // Replaces embed(), the first stage's blocks and merge(0); null unless takeApart() got a plan.
    StripStage* strips() const { return strips_.get(); }
    // Computes the first stage in strips from now on, or whole if there is no plan. Drops all kept strips. A
    // plan requires StripStage::fits().
    void takeApart(std::optional<StripPlan> plan);
    // The input of a stage's merging layer after merge(): PatchMerging::normed().
    std::span<const float> merged(int stage) const;

    // The residual stream of a stage: (grid * grid, C).
    std::span<const float> stream(int stage) const {
        return streams_[static_cast<std::size_t>(stage)].values();
    }
    std::span<const float> output() const { return normed_.values(); } // (last grid * grid, latentDim)
    const float* outputData() const { return normed_.data(); }
    float* scratch() { return scratch_.data(); }
    std::size_t memoryBytes() const;

  private:
    struct Stage {
        std::unique_ptr<const AttentionLayout> plain;
        std::unique_ptr<const AttentionLayout> shifted; // null when the grid is one attention window
        std::vector<SwinBlock> blocks;
        std::unique_ptr<PatchMerging> merging;
    };

    void buildStage(const StageWeights& weights, const Config& config, int stage);
    BlockBuffers blockBuffers();
    // PatchMerging's buffer. In float32 it is narrow_, which also holds the normed tokens; otherwise it is
    // wide_, which is free while a merging runs.
    float* gathered();

    const NetworkWeights& weights_;
    const Config& config_;
    std::vector<tensor::Tensor> streams_;
    tensor::Tensor narrow_;   // BlockBuffers::normed
    tensor::Tensor attended_; // BlockBuffers::attended where it is not narrow_; else empty
    tensor::Tensor wide_;     // BlockBuffers::wide
    tensor::Tensor scratch_;  // oneDNN's
    MlpScratch mlpScratch_;   // MlpBuffers::scratch
    tensor::Tensor normed_;
    std::unique_ptr<PatchEmbed> patchEmbed_;
    std::vector<Stage> stages_;
    std::unique_ptr<StripStage> strips_;
};

} // namespace earshot::model
