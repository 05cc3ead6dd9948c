#include "Plugin/Teach/LessonModels.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Teaching/TaughtModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

namespace earshot::plugin {

namespace fs = std::filesystem;

namespace {

// A model that a lesson may write: nothing is there, or one that a lesson wrote.
bool mayWrite(const fs::path& file) {
    std::error_code failure;
    if (!fs::exists(file, failure)) return true;
    try {
        return teaching::TaughtNote::read(model::Checkpoint::open(file)->metadata(), file).has_value();
    } catch (const Error&) {
        logCaught("looking for a taught model");
        return false;
    }
}

// The notes of the models that lessons wrote to a collection, without those kept for undo.
std::vector<teaching::TaughtNote> lessonsIn(const fs::path& folder) {
    constexpr std::size_t most = 32;
    std::vector<teaching::TaughtNote> notes;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end && notes.size() < most;
         entry.increment(failure)) {
        const fs::path name = entry->path().filename();
        if (name.extension() != ".safetensors" || name.stem().extension() == ".before") continue;
        try {
            if (const auto part = teaching::TaughtPart::read(entry->path())) notes.push_back(part->note);
        } catch (const Error&) { // no model
            logCaught("looking for taught models");
        }
    }
    return notes;
}

} // namespace

fs::path cardOf(const fs::path& model) { return fs::path(model).replace_extension(".md"); }

fs::path placeFor(const fs::path& folder, const std::string& modelName) {
    for (int number = 1;; ++number) {
        auto file = folder / fmt::format("{}-taught{}.safetensors", modelName,
                                         number == 1 ? std::string() : fmt::format("-{}", number));
        std::error_code failure;
        const bool hasStray = fs::exists(cardOf(file), failure) && !fs::exists(file, failure);
        if (mayWrite(file) && !hasStray) return file;
    }
}

RetrainOffer RetrainOffer::find(const fs::path& model, const fs::path& folder) {
    constexpr const char* newer = "The default model is newer than your sounds. Learn adds them to it.";
    const fs::path standard = model::defaultModel();
    const fs::path file = model.empty() ? standard : model;
    if (const auto taught = teaching::TaughtPart::read(file)) {
        const bool isOfDefault = taught->note.model == standard.stem().string();
        if (!isOfDefault || taught->note.base == teaching::TeachableModel(standard).base()) return {};
        return {newer, true};
    }
    const auto lessons = lessonsIn(folder);
    if (lessons.empty()) return {};
    const std::string present = teaching::TeachableModel(file).base();
    if (std::ranges::find(lessons, present, &teaching::TaughtNote::base) != lessons.end()) return {};
    const std::string name = standard.stem().string();
    if (file == standard && std::ranges::find(lessons, name, &teaching::TaughtNote::model) != lessons.end())
        return {newer, false};
    return {fmt::format("Your sounds were trained with {}. Learn adds them to this model.",
                        printable(lessons.back().model)),
            false};
}

} // namespace earshot::plugin
