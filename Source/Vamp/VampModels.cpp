#include "VampModels.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>

namespace earshot::vamp {

namespace {

namespace fs = std::filesystem;

constexpr const char* defaultName = "default";

fs::path modelsFolder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return fs::path(value != nullptr ? value : "");
    };
    if (auto folder = variable("EARSHOT_MODELS"); !folder.empty()) return folder;
    auto data = variable("XDG_DATA_HOME");
    if (data.empty()) data = variable("HOME") / ".local" / "share";
    return data / "earshot" / "Models";
}

bool isModel(const fs::directory_entry& entry) {
    static const std::array<fs::path, 4> endings = {".safetensors", ".pt", ".pth", ".ckpt"};
    std::error_code unknown;
    return std::ranges::find(endings, entry.path().extension()) != endings.end() &&
           entry.is_regular_file(unknown);
}

Model open(const std::string& name) {
    const std::string path = name == defaultName ? std::string() : (modelsFolder() / name).string();
    earshot_model_options options = EARSHOT_MODEL_OPTIONS_INIT;
    earshot_model* opened = nullptr;
    if (earshot_model_open(path.empty() ? nullptr : path.c_str(), &options, &opened) != EARSHOT_OK)
        std::cerr << "earshot (Vamp): " << earshot_last_error() << '\n';
    return {opened,
            [](const earshot_model* model) { earshot_model_close(const_cast<earshot_model*>(model)); }};
}

} // namespace

std::vector<std::string> modelNames() {
    constexpr std::size_t maxNames = 200;
    std::vector<std::string> names;
    std::error_code failure;
    for (fs::directory_iterator entry(modelsFolder(), failure), end; !failure && entry != end;
         entry.increment(failure))
        if (isModel(*entry) && names.size() < maxNames) names.push_back(entry->path().filename().string());
    std::ranges::sort(names);
    names.insert(names.begin(), defaultName);
    return names;
}

Model sharedModel(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<const earshot_model>> models;
    const std::scoped_lock lock(mutex);
    auto model = models[name].lock();
    if (model == nullptr) models[name] = model = open(name);
    return model;
}

} // namespace earshot::vamp
