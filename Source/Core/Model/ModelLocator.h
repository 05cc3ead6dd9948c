// Finds the default model: what EARSHOT_MODEL names, else the one that came with the program or plugin this
// code is linked into, wherever that was built, unpacked or installed. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace earshot::model {

// Throws earshot::Error that says where it looked, and to do `advice`.
std::filesystem::path
defaultModel(const std::string& advice = "install Earshot again or choose a model file");
// Where models may lie that came with this program or plugin, whether or not the folders exist.
std::vector<std::filesystem::path> modelFolders();

// The two for a program or plugin in that folder; the default model without EARSHOT_MODEL.
std::filesystem::path defaultModelIn(const std::filesystem::path& binaryFolder, const std::string& advice);
std::vector<std::filesystem::path> modelFoldersOf(const std::filesystem::path& binaryFolder);

// The folder of the program, plugin or library this code is linked into; empty when the system does not tell.
std::filesystem::path binaryFolder();

} // namespace earshot::model
