#include "Core/Batch/Namesakes.h"

#include "Core/Batch/Inputs.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <vector>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

struct Moved {
    int same = 0;    // files that have their stamps still
    int changed = 0; // files that have not
};

void refuseSecondNames(const std::map<std::string, Journal::Summary>& known, std::span<const NamedFile> files,
                       const fs::path& folder) {
    std::map<std::string, const std::string*> nameOf; // by path
    for (const auto& [name, brief] : known)
        if (brief.heard && !brief.base.empty()) nameOf[(brief.base / name).string()] = &name;
    for (const NamedFile& file : files) {
        const auto found = nameOf.find((file.base / file.name).string());
        if (found == nameOf.end() || *found->second == file.name) continue;
        const std::string& name = *found->second;
        throw Error(
            fmt::format("{}: the folder {} has its results under the name {}; choose another folder for "
                        "results, or name only what lies below {}",
                        displayName(file.base / file.name), displayName(folder), printable(name),
                        displayName(known.at(name).base)));
    }
}

} // namespace

void refuseNamesakes(const std::map<std::string, Journal::Summary>& known, std::span<const NamedFile> files,
                     bool restart, const fs::path& folder, const std::string& advice) {
    std::map<fs::path, Moved> moved; // by the base before
    std::vector<std::pair<const NamedFile*, const Journal::Summary*>> others;
    for (const NamedFile& file : files) {
        const auto entry = known.find(file.name);
        if (entry == known.end() || !entry->second.heard || entry->second.base.empty()) continue;
        const Journal::Summary& before = entry->second;
        if (before.base == file.base || file.base.empty() || file.stamp == FileStamp()) continue;
        if (before.stamp == file.stamp) {
            ++moved[before.base].same;
        } else {
            ++moved[before.base].changed;
            others.emplace_back(&file, &before);
        }
    }
    for (const auto& [file, before] : others) {
        const fs::path old = before->base / file->name;
        const auto text =
            fmt::format("{}: the folder {} has results of {}", displayName(file->base / file->name),
                        displayName(folder), displayName(old));
        if (FileStamp::of(old) == before->stamp)
            throw Error(text + " under the same name; choose another folder for results");
        const auto& [same, changed] = moved.at(before->base);
        if (!restart && same <= changed)
            throw Error(
                fmt::format("{}, which is not there now; choose another folder for results{}", text, advice));
    }
    refuseSecondNames(known, files, folder);
}

void followFolder(Journal& journal, const std::filesystem::path& folder) {
    const std::filesystem::path now = tidied(folder);
    const auto before = journal.list("folder");
    if (before.size() == 1 && before.front() == now) return;
    if (before.size() == 1)
        for (const std::filesystem::path& base : journal.bases()) {
            const std::filesystem::path moved =
                (now / base.lexically_relative(before.front())).lexically_normal();
            std::error_code failure;
            if (moved != base && std::filesystem::is_directory(moved, failure))
                journal.moveBase(base, tidied(moved));
        }
    journal.setList("folder", {now.string()});
}

} // namespace earshot::batch
