#include "Core/Training/Network/ParameterLayout.h"

#include "Core/Model/Reading/SafetensorsWriter.h"
#include "Core/Training/Network/ModelMetadata.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace earshot::training {

namespace {

// Rounds matrices and tables. Small tensors that scale everything after them stay exact.
bool mayBeHalf(const Parameter& parameter, std::span<const float> values) {
    constexpr float maxHalf = 65504.0f;
    return parameter.shape.size() > 1 &&
           std::all_of(values.begin(), values.end(), [](float x) { return std::abs(x) <= maxHalf; });
}

} // namespace

void writeModel(const std::filesystem::path& file, const ParameterLayout& layout,
                std::span<const float> values, const BandStatistics& statistics, Storage storage,
                std::map<std::string, std::string> metadata, std::span<const float> melFilters) {
    assert(values.size() == layout.size());
    const model::Config& config = layout.config();
    std::vector<model::NamedTensor> tensors;
    if (!melFilters.empty())
        tensors.push_back({"logmel_extractor.melW", {config.fftSize / 2 + 1, config.melBands}, melFilters});
    tensors.push_back({"bn0.running_mean", {config.melBands}, statistics.mean});
    tensors.push_back({"bn0.running_var", {config.melBands}, statistics.variance});
    for (const Parameter& parameter : layout.parameters()) {
        const auto own = values.subspan(parameter.offset, parameter.size);
        const bool half = storage == Storage::float16 && mayBeHalf(parameter, own);
        tensors.push_back(
            {parameter.name, parameter.shape, own, half ? model::DType::float16 : model::DType::float32});
    }
    metadata["format"] = "pt"; // the reference's loader demands it of a safetensors file
    metadata["earshot.config"] = configMetadata(config);
    model::writeSafetensors(file, tensors, metadata);
}

} // namespace earshot::training
