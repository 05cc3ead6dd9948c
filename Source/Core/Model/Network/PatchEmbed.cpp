#include "Core/Model/Network/PatchEmbed.h"

#include "Core/Model/Network/LayerNorm.h"

namespace earshot::model {

PatchEmbed::PatchEmbed(const NetworkWeights& weights, const tensor::Linear& projection, const Config& config,
                       int columns, float* output, float* scratch)
    : weights_(weights)
    , config_(config)
    , rows_(static_cast<int>(projection.rows()) / columns)
    , columns_(columns)
    , output_(output)
    , patches_({projection.rows(), projection.inputs()})
    , project_(projection, patches_.data(), output, scratch) {}

void PatchEmbed::gatherPatches(std::span<const float> image, int firstRow, int firstColumn) {
    const int side = config_.imageSize;
    const int size = config_.patchSize;
    const int padding = (size - config_.patchStride) / 2; // zeros around the image when patches overlap
    float* out = patches_.data();
    for (int gridRow = firstRow; gridRow < firstRow + rows_; ++gridRow)
        for (int gridColumn = firstColumn; gridColumn < firstColumn + columns_; ++gridColumn)
            for (int y = 0; y < size; ++y)
                for (int x = 0; x < size; ++x) {
                    const int row = gridRow * config_.patchStride - padding + y;
                    const int column = gridColumn * config_.patchStride - padding + x;
                    const bool inside = row >= 0 && row < side && column >= 0 && column < side;
                    *out++ = inside ? image[static_cast<std::size_t>(row) * side + column] : 0.0f;
                }
}

void PatchEmbed::run(std::span<const float> image, int firstRow, int firstColumn) {
    gatherPatches(image, firstRow, firstColumn);
    project_.run();
    if (weights_.patchNorm)
        layerNorm(*weights_.patchNorm, output_, output_, tensor::Number::float32, patches_.shape()[0]);
    for (std::size_t i = 0; i < weights_.absolutePosition.size(); ++i)
        output_[i] += weights_.absolutePosition.data()[i];
}

} // namespace earshot::model
