#include "Core/Training/Data/RecordingFinder.h"

#include "Core/Audio/ExternalDecoder.h"
#include "Core/Audio/FileKinds.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <utility>

namespace earshot::training {

namespace fs = std::filesystem;

namespace {

std::string spelling(const fs::path& name) {
    const auto utf8 = name.u8string();
    return composed({reinterpret_cast<const char*>(utf8.data()), utf8.size()});
}

} // namespace

FolderRecordings::FolderRecordings(const fs::path& folder) {
    std::error_code why;
    std::vector<fs::path> foreign;
    for (auto entry = fs::directory_iterator(folder.empty() ? fs::path(".") : folder, why);
         !why && entry != fs::directory_iterator(); entry.increment(why)) {
        const fs::path name = entry->path().filename();
        std::error_code unknown;
        const bool readable = audio::hasAudioExtension(name);
        if ((readable || audio::hasForeignAudioExtension(name)) && !name.string().starts_with('.') &&
            entry->is_regular_file(unknown))
            (readable ? files : foreign).push_back(folder / name);
    }
    for (const fs::path& file : files) add(file);
    std::ranges::sort(foreign);
    for (const fs::path& file : foreign) {
        if (byName.contains(spelling(file.stem()))) continue;
        add(file);
        files.push_back(file);
    }
    std::ranges::sort(files);
}

void FolderRecordings::add(const fs::path& file) {
    byName.emplace(spelling(file.filename()), file);
    byName.emplace(spelling(file.stem()), file);
}

RecordingFinder::RecordingFinder(fs::path table, std::shared_ptr<const FolderRecordings> folder)
    : table_(std::move(table))
    , folder_(std::move(folder)) {}

std::optional<fs::path> RecordingFinder::find(std::string_view name, bool mayHaveMoved) {
    constexpr int maxParts = 64;
    std::error_code ignored;
    for (int parts = 0; !name.empty(); ++parts) {
        auto file = stored_.find(table_.parent_path() / fs::path(name));
        if (file && fs::is_regular_file(*file, ignored)) return file;
        const auto slash = name.find('/');
        if (!mayHaveMoved || slash == std::string_view::npos || parts == maxParts) break;
        name.remove_prefix(std::min(name.find_first_not_of('/', slash), name.size()));
    }
    return std::nullopt;
}

const FolderRecordings& RecordingFinder::recordings() const {
    if (!folder_) folder_ = std::make_shared<FolderRecordings>(table_.parent_path());
    return *folder_;
}

std::vector<fs::path> RecordingFinder::namesakes() const {
    for (fs::path name = table_.filename(); name.has_extension();) {
        name = name.stem();
        std::vector<fs::path> found;
        const auto [first, end] = recordings().byName.equal_range(spelling(name));
        for (auto each = first; each != end; ++each) found.push_back(each->second);
        if (!found.empty()) return found;
    }
    return {};
}

} // namespace earshot::training
