// The metadata of a model file, as the loader reads them. Pure functions.
#pragma once

#include "Core/Model/Config.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

std::string configMetadata(const model::Config& config);           // earshot.config
std::string labelMetadata(const std::vector<std::string>& labels); // earshot.labels
// earshot.thresholds, rounded to thousandths
std::string thresholdMetadata(std::span<const float> thresholds);
// The same as they are; a class may have none.
std::string thresholdMetadata(std::span<const std::optional<float>> thresholds);

} // namespace earshot::training
