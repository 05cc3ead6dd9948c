// Finds what came with the program or plugin. The default model: the file that EARSHOT_MODEL names, else the
// one that came with the program or plugin that contains this code, wherever it was built, unpacked or
// installed. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::model {

// Throws earshot::Error if no model is found (the message names the folders and ends with `advice`) or if the
// file that EARSHOT_MODEL names does not exist.
std::filesystem::path
defaultModel(const std::string& advice = "install Earshot again or choose a model file");
// The folders that may hold the models of this program or plugin. They need not exist.
std::vector<std::filesystem::path> modelFolders();

// The recording that came with the program; null if it is not there.
std::optional<std::filesystem::path> demoRecording();

// The same for a program or plugin in `binaryFolder`; defaultModelIn() ignores EARSHOT_MODEL.
std::filesystem::path defaultModelIn(const std::filesystem::path& binaryFolder, const std::string& advice);
std::vector<std::filesystem::path> modelFoldersOf(const std::filesystem::path& binaryFolder);
std::optional<std::filesystem::path> demoRecordingOf(const std::filesystem::path& binaryFolder);

// The path of the CSV beside a model that names its classes, if there is one.
std::optional<std::filesystem::path> labelFileBeside(const std::filesystem::path& modelFile);

// The folder of the program, plugin or library that contains this code; empty if the system does not know it.
std::filesystem::path binaryFolder();

} // namespace earshot::model
