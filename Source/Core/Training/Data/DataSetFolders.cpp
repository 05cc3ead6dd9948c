#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace earshot::training {

namespace {

using Paths = std::vector<std::filesystem::path>;

bool isHidden(const std::filesystem::path& path) { return path.filename().string().starts_with('.'); }

bool isAudio(const std::filesystem::path& file) {
    static constexpr std::array extensions = {".wav", ".wave", ".aif", ".aiff", ".aifc", ".flac", ".ogg",
                                              ".oga", ".opus", ".mp3", ".w64",  ".rf64", ".caf",  ".au"};
    const std::string extension = lowerCase(file.extension().string());
    return std::ranges::find(extensions, extension) != extensions.end() && !isHidden(file);
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

// What cannot be read is listed; links to folders are not followed.
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

bool isOfNoClass(std::string_view folderName) {
    return folderName == "_background" || folderName == "_other";
}

} // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string lowerCase(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

void readClassFolders(const std::filesystem::path& folder, std::vector<FoundClip>& found,
                      std::vector<Problem>& problems) {
    int astray = 0;
    for (const auto& entry : entriesOf(folder)) {
        const std::size_t before = problems.size();
        std::error_code unknown;
        const auto type = std::filesystem::status(entry, unknown).type();
        if (type == std::filesystem::file_type::none)
            problems.push_back({displayName(entry), failure(unknown)});
        if (type != std::filesystem::file_type::directory) {
            if (type == std::filesystem::file_type::regular && isAudio(entry)) ++astray;
            continue;
        }
        const std::string label = printable(trimmed(entry.filename().string()));
        const auto files = audioBelow(entry, problems);
        if (files.empty() && problems.size() == before)
            problems.push_back({displayName(entry), "holds no audio files"});
        for (const auto& file : files) {
            FoundClip clip;
            clip.file = file;
            clip.group = file.lexically_relative(folder).string();
            clip.where = printable(clip.group);
            if (!isOfNoClass(label)) clip.labels = {label};
            found.push_back(std::move(clip));
        }
    }
    if (astray > 0)
        problems.push_back(
            {displayName(folder), fmt::format("{} audio files lie in no class's folder; move them "
                                              "into a folder named after what they are",
                                              astray)});
}

} // namespace earshot::training
