// The image cut into patches and projected to the encoder's width: a strided convolution as one matrix
// product, then LayerNorm and, where a model has it, an absolute position embedding.
// One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <span>

namespace earshot::model {

class PatchEmbed {
  public:
    // Of (rows, columns) patches. projection: the network's for as many rows as that; output:
    // (rows * columns, embedDim), scratch for oneDNN; all outlive this object.
    PatchEmbed(const NetworkWeights& weights, const tensor::Linear& projection, const Config& config,
               int columns, float* output, float* scratch);

    // image: (imageSize, imageSize); its patches from this one on.
    void run(std::span<const float> image, int firstRow = 0, int firstColumn = 0);

  private:
    void gatherPatches(std::span<const float> image, int firstRow, int firstColumn);

    const NetworkWeights& weights_;
    const Config& config_;
    int rows_, columns_;
    float* output_;
    tensor::Tensor patches_; // (rows * columns, patchSize * patchSize)
    tensor::LinearCall project_;
};

} // namespace earshot::model
