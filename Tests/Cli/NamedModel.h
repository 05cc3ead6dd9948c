// A small model with first values that knows the sounds it is told.
#pragma once

#include "Core/Training/Network/ParameterLayout.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace earshot::test {

inline std::string writeNamedModel(const std::filesystem::path& file, const std::vector<std::string>& labels,
                                   std::map<std::string, std::string> metadata = {}) {
    model::Config config;
    config.embedDim = 16;
    config.depths = {1, 1, 1, 1};
    config.heads = {2, 4, 4, 8};
    config.classes = static_cast<int>(labels.size());
    const training::ParameterLayout layout(config);
    const auto bands = static_cast<std::size_t>(config.melBands);
    metadata["earshot.labels"] = nlohmann::json(labels).dump();
    training::writeModel(file, layout, training::initialParameters(layout, 1),
                         {std::vector<float>(bands, -40.0f), std::vector<float>(bands, 100.0f)},
                         training::Storage::float16, metadata);
    return file.string();
}

} // namespace earshot::test
