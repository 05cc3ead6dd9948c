// The image cut into patches and projected to the encoder's width: a strided convolution as one matrix
// product, then LayerNorm and, where a model has it, an absolute position embedding.
// One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/NetworkWeights.h"

#include <span>

namespace earshot::model {

class PatchEmbed {
  public:
    // output: (grid * grid, embedDim), scratch for oneDNN; both outlive this object.
    PatchEmbed(const NetworkWeights& weights, const Config& config, float* output, float* scratch);

    // image: (imageSize, imageSize)
    void run(std::span<const float> image);

  private:
    void gatherPatches(std::span<const float> image);

    const NetworkWeights& weights_;
    const Config& config_;
    float* output_;
    tensor::Tensor patches_; // (grid * grid, patchSize * patchSize)
    tensor::LinearCall project_;
};

} // namespace earshot::model
