// The image cut into patches and projected to the encoder's width: a strided convolution as one matrix
// product, then LayerNorm and, where a model has it, an absolute position embedding.
// One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/NetworkWeights.h"

#include <span>

namespace earshot::model {

class PatchEmbed {
  public:
    // projection: the network's for as many rows as grid * columns; output: (grid * columns, embedDim),
    // scratch for oneDNN; all outlive this object.
    PatchEmbed(const NetworkWeights& weights, const tensor::Linear& projection, const Config& config,
               float* output, float* scratch);

    // image: (imageSize, imageSize); its patches from `firstColumn` on.
    void run(std::span<const float> image, int firstColumn = 0);

  private:
    void gatherPatches(std::span<const float> image, int firstColumn);

    const NetworkWeights& weights_;
    const Config& config_;
    int columns_;
    float* output_;
    tensor::Tensor patches_; // (grid * columns, patchSize * patchSize)
    tensor::LinearCall project_;
};

} // namespace earshot::model
