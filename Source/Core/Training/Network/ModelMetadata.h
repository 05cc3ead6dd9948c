// The metadata of a model file, as the loader reads them. Pure functions.
#pragma once

#include "Core/Model/Config.h"

#include <span>
#include <string>
#include <vector>

namespace earshot::training {

std::string configMetadata(const model::Config& config);           // earshot.config
std::string labelMetadata(const std::vector<std::string>& labels); // earshot.labels
std::string thresholdMetadata(std::span<const float> thresholds);  // earshot.thresholds

} // namespace earshot::training
