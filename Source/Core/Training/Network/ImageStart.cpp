#include "Core/Training/Network/ImageStart.h"

#include "Core/Model/Network/Bicubic.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::training {

namespace {

// The mean over the second extent. stored: (width, colours, patch, patch); mean: (width, 1, patch, patch).
void averageColours(const tensor::Tensor& stored, std::span<float> mean) {
    const auto width = static_cast<std::size_t>(stored.shape()[0]);
    const auto colours = static_cast<std::size_t>(stored.shape()[1]);
    const std::size_t pixels = mean.size() / width;
    const auto values = stored.values();
    for (std::size_t row = 0; row < width; ++row)
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
            float sum = 0.0f;
            for (std::size_t colour = 0; colour < colours; ++colour)
                sum += values[(row * colours + colour) * pixels + pixel];
            mean[row * pixels + pixel] = sum / static_cast<float>(colours);
        }
}

int sideOfSquare(std::int64_t square) {
    return static_cast<int>(std::lround(std::sqrt(static_cast<double>(square))));
}

// A table holds a vector for each place of a square: (places, heads), or (1, places, width). Returns ours
// with the places of the file; ours itself if the file's are no square.
tensor::Shape shapeInFile(const model::Checkpoint& checkpoint, const std::string& name,
                          const tensor::Shape& ours) {
    const auto found = checkpoint.tensors().find(name);
    if (found == checkpoint.tensors().end() || found->second.shape.size() != ours.size()) return ours;
    auto shape = ours;
    const std::int64_t places = found->second.shape[ours.size() - 2];
    const std::int64_t side = places < 1 ? 0 : sideOfSquare(places);
    if (side > 0 && side * side == places) shape[ours.size() - 2] = places;
    return shape;
}

void readTable(model::Checkpoint& checkpoint, const std::string& name, const tensor::Shape& ours,
               std::span<float> values) {
    const auto shape = shapeInFile(checkpoint, name, ours);
    const auto stored = readStart(checkpoint, name, shape);
    if (shape == ours)
        std::ranges::copy(stored.values(), values.begin());
    else
        model::resizeGrid(stored.values(), values, sideOfSquare(shape[shape.size() - 2]),
                          sideOfSquare(ours[ours.size() - 2]));
}

} // namespace

void readImageEncoder(model::Checkpoint& checkpoint, const model::ImageModel& image,
                      const ParameterLayout& layout, std::span<float> values) {
    assert(values.size() == layout.size());
    constexpr std::int64_t colours = 3;
    for (const Parameter& parameter : layout.parameters()) {
        if (parameter.ofHead() || parameter.name.starts_with("bn0.")) continue;
        const auto own = values.subspan(parameter.offset, parameter.size);
        const auto name = image.prefix + parameter.name;
        auto shape = parameter.shape;
        if (parameter.role == model::TensorRole::table) {
            readTable(checkpoint, name, shape, own);
        } else if (parameter.name == "patch_embed.proj.weight") {
            shape[1] = colours;
            averageColours(readStart(checkpoint, name, shape), own);
        } else {
            std::ranges::copy(readStart(checkpoint, name, shape).values(), own.begin());
        }
    }
}

} // namespace earshot::training
