#include "Core/Model/ModelLocator.h"

#include "Core/Base/Error.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

namespace earshot::model {

namespace {

namespace fs = std::filesystem;

constexpr const char* defaultModelName = "earshot-default.safetensors";

bool isThere(const fs::path& file) {
    std::error_code failure;
    return fs::exists(file, failure);
}

} // namespace

fs::path binaryFolder() {
    std::error_code failure;
    const fs::path file = fs::canonical(platform::ownBinary(), failure);
    return failure ? fs::path() : file.parent_path();
}

std::vector<fs::path> modelFoldersOf(const fs::path& binaryFolder) {
    const fs::path above = binaryFolder.parent_path();
    // Beside the program, and in a plugin's bundle (Contents/x86_64-linux/Earshot.so, Contents/Resources).
    std::vector<fs::path> folders = {binaryFolder / "Models", binaryFolder, above / "Resources"};
    // The prefix of an installed binary is some folders above: the binary may lie anywhere from PREFIX/bin to
    // PREFIX/lib/x86_64-linux-gnu/vst3/Earshot.vst3/Contents/...
    constexpr int deepest = 6;
    fs::path prefix = above;
    for (int i = 0; i < deepest && prefix.has_relative_path(); ++i, prefix = prefix.parent_path())
        folders.push_back(prefix / "share" / "earshot" / "Models");
    return folders;
}

fs::path defaultModelIn(const fs::path& binaryFolder, const std::string& advice) {
    const auto folders = modelFoldersOf(binaryFolder);
    for (const fs::path& folder : folders)
        if (fs::path file = folder / defaultModelName; isThere(file)) return file;
    throw Error(fmt::format("no model found: looked for {}, beside it, and in share/earshot/Models of the "
                            "folders above; {}",
                            displayName(folders.front() / defaultModelName), advice));
}

fs::path defaultModel(const std::string& advice) {
    fs::path variable = platform::environment("EARSHOT_MODEL").value_or("");
    if (variable.empty()) return defaultModelIn(binaryFolder(), advice);
    if (!isThere(variable))
        throw Error(displayName(variable) + ": no such model file (given by EARSHOT_MODEL); check the name");
    return variable;
}

// It lies beside the folder of the models.
std::optional<fs::path> demoRecordingOf(const fs::path& binaryFolder) {
    for (const fs::path& folder : modelFoldersOf(binaryFolder))
        if (fs::path file = folder.parent_path() / "demo.flac"; isThere(file)) return file;
    return std::nullopt;
}

std::optional<fs::path> demoRecording() { return demoRecordingOf(binaryFolder()); }

std::vector<fs::path> modelFolders() { return modelFoldersOf(binaryFolder()); }

std::optional<std::filesystem::path> labelFileBeside(const std::filesystem::path& modelFile) {
    auto own = modelFile;
    auto ownLabels = modelFile;
    for (const auto& candidate : {own.replace_extension(".csv"), ownLabels.replace_extension(".labels.csv"),
                                  modelFile.parent_path() / "labels.csv"}) {
        std::error_code absent;
        if (std::filesystem::is_regular_file(candidate, absent)) return candidate;
    }
    return std::nullopt;
}

} // namespace earshot::model
