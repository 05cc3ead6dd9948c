#include "Core/Base/StoredNames.h"

#include "Core/Base/Unicode.h"

#include <algorithm>

namespace earshot {

namespace fs = std::filesystem;

namespace {

std::string utf8Of(const fs::path& path) {
    const auto utf8 = path.u8string();
    return {reinterpret_cast<const char*>(utf8.data()), utf8.size()};
}

bool isAscii(const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool isOnDisk(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

} // namespace

std::optional<fs::path> StoredNames::find(const fs::path& path) {
    if (isOnDisk(path)) return path;
    if (isAscii(utf8Of(path))) return std::nullopt;
    fs::path found;
    for (const fs::path& part : path) {
        if (isOnDisk(found / part)) {
            found /= part;
            continue;
        }
        const std::string name = utf8Of(part);
        if (isAscii(name)) return std::nullopt;
        const Names& names = namesIn(found.empty() ? fs::path(".") : found);
        const auto stored = names.find(composed(name));
        if (stored == names.end() || stored->second.empty()) return std::nullopt;
        found /= stored->second;
    }
    return found;
}

const StoredNames::Names& StoredNames::namesIn(const fs::path& folder) {
    const auto [known, isNew] = folders_.try_emplace(folder);
    Names& names = known->second;
    if (!isNew) return names;
    std::error_code why;
    for (auto entry = fs::directory_iterator(folder, why); !why && entry != fs::directory_iterator();
         entry.increment(why)) {
        const fs::path name = entry->path().filename();
        const std::string utf8 = utf8Of(name);
        if (isAscii(utf8)) continue;
        const auto [same, first] = names.try_emplace(composed(utf8), name);
        if (!first) same->second.clear();
    }
    return names;
}

} // namespace earshot
