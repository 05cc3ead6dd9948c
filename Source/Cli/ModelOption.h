// Finds the model file: --model, else the environment's EARSHOT_MODEL, else the default model beside the
// program or where it is installed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace earshot::cli {

// Throws earshot::Error that lists where it looked.
std::filesystem::path locateModel(const std::optional<std::string>& fromCommandLine);

} // namespace earshot::cli
