// Cuts the image into patches and projects them to the encoder's width: a strided convolution as one matrix
// product, then LayerNorm and an absolute position embedding where the model has them.
// One thread at a time; allocates nothing in run().
#pragma once

#include "Core/Model/Network/NetworkWeights.h"

#include <span>

namespace earshot::model {

class PatchEmbed {
  public:
    // Embeds a part of (rows, columns) patches of the image. projection: the patch projection packed for
    // rows * columns patches. output: (rows * columns, embedDim). scratch: oneDNN's. All references outlive
    // this object.
    PatchEmbed(const NetworkWeights& weights, const tensor::Linear& projection, const Config& config,
               int columns, float* output, float* scratch);

    // image: (imageSize, imageSize). firstRow, firstColumn: the part's first patch.
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
