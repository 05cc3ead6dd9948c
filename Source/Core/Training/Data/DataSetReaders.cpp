#include "Core/Training/Data/DataSetReaders.h"

#include "Core/Audio/ExternalDecoder.h"
#include "Core/Audio/FileKinds.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace earshot::training {

namespace {

using Paths = std::vector<std::filesystem::path>;

bool isHidden(const std::filesystem::path& path) { return path.filename().string().starts_with('.'); }

bool isAudio(const std::filesystem::path& file) {
    return audio::hasReadableExtension(file) && !isHidden(file);
}

bool isForeignAudio(const std::filesystem::path& file) {
    return audio::hasForeignAudioExtension(file) && !isHidden(file);
}

Problem foreignAudio(const std::filesystem::path& file) {
    const auto name = file.filename();
    return {displayName(file),
            fmt::format("is audio that Earshot does not read; convert it: ffmpeg -i \"{}\" \"{}\", or "
                        "--decode-with ffmpeg",
                        displayName(name),
                        displayName(std::filesystem::path(name).replace_extension(".flac"))),
            true, true};
}

std::string failure(const std::error_code& why) {
    return fmt::format("cannot be read ({}); check its permissions", why.message());
}

// Sorted, so that the same folders give the same data set on every file system.
Paths entriesOf(const std::filesystem::path& folder) {
    std::error_code why;
    Paths entries;
    for (auto entry = std::filesystem::directory_iterator(folder, why);
         !why && entry != std::filesystem::directory_iterator(); entry.increment(why))
        if (!isHidden(entry->path())) entries.push_back(entry->path());
    if (why) throw Error(displayName(folder) + ": this folder " + failure(why));
    std::ranges::sort(entries);
    return entries;
}

// Unreadable entries are listed; links to folders are not followed.
void addAudioBelow(const std::filesystem::path& folder, Paths& files, std::vector<Problem>& problems) {
    std::error_code why;
    for (auto entry = std::filesystem::directory_iterator(folder, why);
         !why && entry != std::filesystem::directory_iterator(); entry.increment(why)) {
        std::error_code unknown;
        const auto type = entry->status(unknown).type();
        if (type == std::filesystem::file_type::none)
            problems.push_back({displayName(entry->path()), failure(unknown)});
        else if (type == std::filesystem::file_type::regular && isAudio(entry->path()))
            files.push_back(entry->path());
        else if (type == std::filesystem::file_type::regular && isForeignAudio(entry->path()))
            problems.push_back(foreignAudio(entry->path()));
        else if (type == std::filesystem::file_type::directory && !entry->is_symlink(unknown))
            addAudioBelow(entry->path(), files, problems);
    }
    if (why) problems.push_back({displayName(folder), failure(why)});
}

Paths audioBelow(const std::filesystem::path& folder, std::vector<Problem>& problems) {
    Paths files;
    addAudioBelow(folder, files, problems);
    std::ranges::sort(files);
    return files;
}

bool mayBeTable(const std::filesystem::path& file) {
    static constexpr std::array extensions = {".txt", ".tsv", ".csv", ".json", ".jsonl"};
    return std::ranges::find(extensions, lowerCase(file.extension().string())) != extensions.end() &&
           !isHidden(file);
}

// Reads the tables of labels that lie beside recordings and have their names. Those recordings leave
// `astray`.
void readTracks(const std::filesystem::path& folder, Paths& astray, std::vector<FoundClip>& found,
                std::vector<Problem>& problems, const TableChoice& choice) {
    const auto recordings = std::make_shared<FolderRecordings>(folder);
    std::set<std::filesystem::path> labelled;
    for (const auto& entry : entriesOf(folder)) {
        const RecordingFinder table(entry, recordings);
        if (!mayBeTable(entry) || table.namesakes().size() != 1) continue;
        const std::size_t before = found.size();
        try {
            readClipTable(table, found, problems, choice);
        } catch (const Error& error) {
            problems.push_back({displayName(entry.filename()), error.what()});
        }
        for (std::size_t i = before; i < found.size(); ++i) labelled.insert(found[i].file);
    }
    std::erase_if(astray, [&](const auto& file) { return labelled.contains(file); });
}

// Folders that are no classes.
const std::map<std::string_view, ClipKind> kindOfFolder = {{"_other", ClipKind::sound},
                                                           {"_background", ClipKind::background},
                                                           {"_rooms", ClipKind::room},
                                                           {"_unlabelled", ClipKind::unlabelled}};

} // namespace

void readClassFolders(const std::filesystem::path& folder, std::vector<FoundClip>& found,
                      std::vector<Problem>& problems, const TableChoice& choice) {
    Paths astray; // audio files in no class's folder
    for (const auto& entry : entriesOf(folder)) {
        const std::size_t before = problems.size();
        std::error_code unknown;
        const auto type = std::filesystem::status(entry, unknown).type();
        if (type == std::filesystem::file_type::none)
            problems.push_back({displayName(entry), failure(unknown)});
        if (type != std::filesystem::file_type::directory) {
            if (type == std::filesystem::file_type::regular && (isAudio(entry) || isForeignAudio(entry)))
                astray.push_back(entry);
            continue;
        }
        const std::string label = printable(composed(trimmed(entry.filename().string())));
        const auto files = audioBelow(entry, problems);
        if (files.empty() && problems.size() == before)
            problems.push_back({displayName(entry), "holds no audio files", false});
        for (const auto& file : files) {
            FoundClip clip;
            clip.file = file;
            clip.group = file.lexically_relative(folder).generic_string();
            clip.where = printable(clip.group);
            if (const auto kind = kindOfFolder.find(label); kind != kindOfFolder.end())
                clip.setKind(kind->second);
            else
                clip.labels = {label};
            found.push_back(std::move(clip));
        }
    }
    if (!astray.empty()) readTracks(folder, astray, found, problems, choice);
    for (const auto& file : astray)
        if (!isAudio(file)) problems.push_back(foreignAudio(file));
    std::erase_if(astray, [](const auto& file) { return !isAudio(file); });
    if (!astray.empty())
        problems.push_back(
            {displayName(folder), fmt::format("{} audio files lie in no class's folder; move them "
                                              "into a folder named after what they are",
                                              astray.size())});
}

} // namespace earshot::training
