// The Swin encoder of one pass: patch embedding, stages of blocks with merging between them, final norm.
// Owns the residual stream of every stage and the buffers the blocks share.
// One thread at a time; allocates nothing in its runs.
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
    // Halves the grid for the next stage. Not after the last one.
    void merge(int stage);
    void normalise();
    // In place of embed(), the first stage's blocks and merge(0); null unless the stage was taken apart.
    StripStage* strips() const { return strips_.get(); }
    // Only where StripStage::fits(). What was kept is gone.
    void takeApart(std::optional<StripDirection> direction);
    // What merge() read of a stage: PatchMerging::normed().
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
    // What a merging gathers: in place where the numbers are of one size; else there is room beside, as
    // nothing else is kept.
    float* gathered();

    const NetworkWeights& weights_;
    const Config& config_;
    std::vector<tensor::Tensor> streams_;
    tensor::Tensor narrow_;   // BlockBuffers::normed
    tensor::Tensor attended_; // BlockBuffers::attended, where it is another
    tensor::Tensor wide_;     // BlockBuffers::wide
    tensor::Tensor scratch_;  // oneDNN's
    MlpScratch mlpScratch_;   // MlpBuffers::scratch
    tensor::Tensor normed_;
    std::unique_ptr<PatchEmbed> patchEmbed_;
    std::vector<Stage> stages_;
    std::unique_ptr<StripStage> strips_;
};

} // namespace earshot::model
