#include "Core/Model/Reading/ClapReader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Reading/TensorReader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace earshot::model {

namespace {

using tensor::Epilogue;

// The names of a published layout's tensors.
struct ClapNames {
    std::string_view network;             // end of the network's prefix, after the model's prefix
    std::string_view projection;          // after the model's prefix
    std::string_view first, second, norm; // after `projection`; LAION's has no norm
    std::string_view scale;               // after the model's prefix
};
constexpr ClapNames publishedNames[] = {
    {"audio_encoder.base.htsat.", "audio_encoder.projection.", "linear1", "linear2", "layer_norm",
     "logit_scale"},
    {"audio_branch.", "audio_projection.", "0", "2", "", "logit_scale_a"},
};
constexpr std::int64_t maxDimensions = 1 << 14;
// The limit of the scale's logarithm; CLAP's training keeps it below ln(100).
constexpr float maxLogScale = 10.0f;

float readScale(Checkpoint& checkpoint, const std::string& name) {
    const auto found = checkpoint.tensors().find(name);
    const auto where = fmt::format("{}: tensor {}: ", displayName(checkpoint.file()), printable(name));
    if (found == checkpoint.tensors().end())
        throw Error(where + "expected one value, found none; the file may be cut: download it again");
    if (tensor::elementCount(found->second.shape) != 1)
        throw Error(where + "expected one value, found " + tensor::describe(found->second.shape));
    const float value = checkpoint.read(name).values().front();
    if (!(std::abs(value) <= maxLogScale))
        throw Error(fmt::format("{}expected a logarithm from {} to {}, found {}; the file is damaged", where,
                                -maxLogScale, maxLogScale, value));
    return std::exp(value);
}

// Returns the first layer's number of outputs; its weights are (dimensions, latentDim).
std::int64_t readDimensions(const Checkpoint& checkpoint, const std::string& name, std::int64_t latent) {
    const auto found = checkpoint.tensors().find(name);
    const auto shape = found == checkpoint.tensors().end() ? tensor::Shape() : found->second.shape;
    if (shape.size() != 2 || shape[0] < 1 || shape[0] > maxDimensions || shape[1] != latent)
        throw Error(fmt::format("{}: tensor {}: expected (1 to {}, {}), found {}",
                                displayName(checkpoint.file()), printable(name), maxDimensions, latent,
                                found == checkpoint.tensors().end() ? "none; the file may be cut"
                                                                    : tensor::describe(shape)));
    return shape[0];
}

struct Place {
    const ClapNames* names;
    std::string model;  // prefix of the whole model
    std::string prefix; // of the projection
};

// Returns nothing if the checkpoint is not a CLAP model's or holds only the network.
std::optional<Place> findProjection(const Checkpoint& checkpoint, const CheckpointLayout& layout) {
    const auto* const names = std::ranges::find_if(
        publishedNames, [&](const auto& it) { return layout.prefix.ends_with(it.network); });
    if (names == std::end(publishedNames)) return std::nullopt;
    auto model = layout.prefix.substr(0, layout.prefix.size() - names->network.size());
    auto prefix = model + std::string(names->projection);
    const auto part = checkpoint.tensors().lower_bound(prefix);
    if (part == checkpoint.tensors().end() || !part->first.starts_with(prefix)) return std::nullopt;
    return Place{names, std::move(model), std::move(prefix)};
}

ClapProjectionWeights readLayers(Checkpoint& checkpoint, const ClapNames& names, const std::string& prefix,
                                 std::int64_t inputs, std::int64_t& parameterCount) {
    const std::string first(names.first), second(names.second), norm(names.norm);
    TensorReader reader(checkpoint, prefix, tensor::Number::float32, parameterCount);
    const std::int64_t width = readDimensions(checkpoint, prefix + first + ".weight", inputs);
    const bool isMicrosoft = !norm.empty();
    const auto output = TensorReader::Output::float32;
    auto firstLayer = reader.linear(first, 1, inputs, width, !isMicrosoft, Epilogue::none, output);
    auto secondLayer = reader.linear(second, 1, width, width, !isMicrosoft,
                                     isMicrosoft ? Epilogue::add : Epilogue::none, output);
    std::optional<LayerNormWeights> layerNorm;
    if (isMicrosoft) layerNorm = reader.norm(norm, width);
    return {std::move(firstLayer), std::move(secondLayer), std::move(layerNorm), 1.0f, {}};
}

std::string digestOf(Checkpoint& checkpoint, const ClapNames& names, const std::string& prefix) {
    std::string digests;
    for (const auto layer : {names.first, names.second}) {
        const auto weights = checkpoint.read(prefix + std::string(layer) + ".weight");
        digests += sha256({reinterpret_cast<const char*>(weights.data()), weights.bytes()});
    }
    return sha256(digests);
}

} // namespace

std::size_t ClapProjectionWeights::memoryBytes() const {
    return first.memoryBytes() + second.memoryBytes() + (norm ? norm->gain.bytes() + norm->bias.bytes() : 0);
}

std::int64_t projectionDimensions(const Checkpoint& checkpoint, const CheckpointLayout& layout) {
    const auto place = findProjection(checkpoint, layout);
    if (!place) return 0;
    return readDimensions(checkpoint, place->prefix + std::string(place->names->first) + ".weight",
                          layout.config.latentDim());
}

std::unique_ptr<const ClapProjectionWeights>
readClapProjection(Checkpoint& checkpoint, const CheckpointLayout& layout, std::int64_t& parameterCount) {
    const auto place = findProjection(checkpoint, layout);
    if (!place) return nullptr;
    auto weights =
        readLayers(checkpoint, *place->names, place->prefix, layout.config.latentDim(), parameterCount);
    weights.digest = digestOf(checkpoint, *place->names, place->prefix);
    weights.scale = readScale(checkpoint, place->model + std::string(place->names->scale));
    return std::make_unique<const ClapProjectionWeights>(std::move(weights));
}

std::unique_ptr<const ClapProjectionWeights> readTextProjection(Checkpoint& checkpoint,
                                                                const std::string& prefix,
                                                                std::int64_t inputs,
                                                                std::int64_t& parameterCount) {
    const auto& [microsoft, laion] = publishedNames;
    const bool isMicrosoft = checkpoint.contains(prefix + std::string(microsoft.first) + ".weight");
    return std::make_unique<const ClapProjectionWeights>(
        readLayers(checkpoint, isMicrosoft ? microsoft : laion, prefix, inputs, parameterCount));
}

} // namespace earshot::model
