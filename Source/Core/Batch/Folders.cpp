#include "Core/Batch/Folders.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

// Removes the first character of the text, of one or several bytes.
std::string_view takeFirst(std::string_view& text) {
    std::size_t bytes = 1;
    while (bytes < text.size() && continuesCharacter(text[bytes])) ++bytes;
    const std::string_view first = text.substr(0, bytes);
    text.remove_prefix(bytes);
    return first;
}

// Removes "[a-z]" or "[!a-z]" from the pattern's beginning and says whether the character is one of them.
// Without a closing bracket it is an ordinary character.
bool matchesSet(std::string_view& pattern, std::string_view character) {
    std::string_view set = pattern.substr(1);
    const bool inverted = !set.empty() && (set.front() == '!' || set.front() == '^');
    if (inverted) set.remove_prefix(1);
    bool found = false;
    for (bool first = true; !set.empty() && (first || set.front() != ']'); first = false) {
        const std::string_view low = takeFirst(set);
        std::string_view high = low;
        if (set.size() > 1 && set.front() == '-' && set[1] != ']') {
            set.remove_prefix(1);
            high = takeFirst(set);
        }
        // UTF-8 sorts as its characters do.
        found = found || (low <= character && character <= high);
    }
    if (set.empty()) {
        pattern.remove_prefix(1);
        return character == "[";
    }
    pattern = set.substr(1);
    return found != inverted;
}

// As a shell matches one name: * for any characters, ? for one, [...] for one of some, a backslash before a
// character that stands for itself. A hidden name needs a dot in the pattern.
bool matchesGlob(std::string_view pattern, std::string_view name) {
    if (name.starts_with('.') && !pattern.starts_with('.')) return false;
    // Where the last * stood in the pattern, and what it has matched up to.
    std::optional<std::string_view> star, rest;
    while (!name.empty() || !pattern.empty()) {
        if (pattern.starts_with('*')) {
            pattern.remove_prefix(1);
            star = pattern;
            rest = name;
            continue;
        }
        if (!pattern.empty() && !name.empty()) {
            std::string_view left = name;
            const std::string_view character = takeFirst(left);
            bool same = true;
            if (pattern.front() == '?') {
                pattern.remove_prefix(1);
            } else if (pattern.front() == '[') {
                same = matchesSet(pattern, character);
            } else {
                if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
                same = takeFirst(pattern) == character;
            }
            name = left;
            if (same) continue;
        }
        // Let the last * take one more character.
        if (!star || rest->empty()) return false;
        takeFirst(*rest);
        pattern = *star;
        name = *rest;
    }
    return true;
}

// Whether users do not see that entry: its name begins with a dot, or it is a folder of the system, which
// holds what was deleted or repaired.
bool isHidden(const fs::path& name) {
    constexpr std::array<std::string_view, 5> systemFolders = {"$RECYCLE.BIN", "$Recycle.Bin", "RECYCLER",
                                                               "System Volume Information", "lost+found"};
    return name.native().starts_with('.') ||
           std::ranges::any_of(systemFolders, [&](std::string_view folder) { return name == folder; });
}

struct Entries {
    std::vector<fs::path> files;
    std::vector<fs::path> folders;
};

// Returns the entries of one folder, sorted. Skips pipes and devices: reading them could block or never end.
Entries entriesOf(const fs::path& folder, std::error_code& failure) {
    Entries entries;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (isHidden(entry->path().filename())) continue;
        std::error_code dangling;
        const auto type = entry->status(dangling).type();
        if (type == fs::file_type::directory) {
            entries.folders.push_back(entry->path());
        } else if (type == fs::file_type::regular || type == fs::file_type::not_found ||
                   type == fs::file_type::none) {
            entries.files.push_back(entry->path());
        }
    }
    std::ranges::sort(entries.files);
    std::ranges::sort(entries.folders);
    return entries;
}

class Walker {
  public:
    using Visit = std::function<void(const fs::path& folder, const Entries&)>;
    using Unreadable = std::function<void(const fs::path&, const std::string&)>;

    Walker(Visit visit, Unreadable unreadable)
        : visit_(std::move(visit))
        , unreadable_(std::move(unreadable)) {}

    void walk(const fs::path& folder) {
        std::error_code failure;
        const fs::path real = fs::canonical(folder, failure);
        if (!failure && !seen_.insert(real).second) return;
        const Entries entries = entriesOf(folder, failure);
        if (failure && unreadable_)
            unreadable_(folder,
                        "this folder cannot be read (" + failure.message() + "); check its permissions");
        visit_(folder, entries);
        for (const fs::path& below : entries.folders) walk(below);
    }

  private:
    Visit visit_;
    Unreadable unreadable_;
    std::set<fs::path> seen_;
};

std::vector<std::string> partsOf(const std::string& pattern) {
    std::vector<std::string> parts;
    for (const fs::path& part : fs::path(pattern)) parts.push_back(part.string());
    return parts;
}

void expand(const fs::path& folder, const std::vector<std::string>& parts, std::size_t at,
            std::set<fs::path>& matches) {
    if (at == parts.size()) {
        std::error_code failure;
        if (fs::exists(fs::symlink_status(folder, failure))) matches.insert(folder);
        return;
    }
    const std::string& part = parts[at];
    if (part == "**") {
        Walker([&](const fs::path& below, const Entries&) { expand(below, parts, at + 1, matches); }, {})
            .walk(folder);
    } else if (!hasWildcards(part)) {
        expand(folder / part, parts, at + 1, matches);
    } else {
        std::error_code failure;
        const Entries entries = entriesOf(folder.empty() ? fs::path(".") : folder, failure);
        for (const auto* list : {&entries.files, &entries.folders})
            for (const fs::path& entry : *list)
                if (matchesGlob(part, entry.filename().string()))
                    expand(folder / entry.filename(), parts, at + 1, matches);
    }
}

} // namespace

void walk(const fs::path& folder, const std::function<void(const fs::path&)>& file,
          const std::function<void(const fs::path&, const std::string&)>& unreadable) {
    Walker([&](const fs::path&, const Entries& entries) { std::ranges::for_each(entries.files, file); },
           unreadable)
        .walk(folder);
}

bool hasWildcards(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

Glob expandGlob(const std::string& pattern) {
    const auto parts = partsOf(pattern);
    Glob glob;
    std::size_t fixed = 0;
    while (fixed < parts.size() && !hasWildcards(parts[fixed])) glob.folder /= parts[fixed++];
    if (glob.folder.empty()) glob.folder = ".";
    std::set<fs::path> matches;
    // The matches must not begin with a "./" that the pattern does not have.
    const bool here = fixed == 0 && parts.front() != "**";
    expand(here ? fs::path() : glob.folder, parts, fixed, matches);
    glob.matches.assign(matches.begin(), matches.end());
    return glob;
}

fs::path stateFolder(const fs::path& folder) {
    fs::path state = folder / ".earshot";
    std::error_code failure;
    fs::create_directories(state, failure);
    if (failure)
        throw Error(displayName(state) + ": cannot be made (" + failure.message() +
                    "); choose a folder that can be written");
    return state;
}

FolderLock::FolderLock(const fs::path& folder) {
    const fs::path file = stateFolder(folder) / "lock";
    file_ = platform::openOrCreate(file);
    if (!file_.isOpen())
        throw Error(displayName(file) + ": cannot be made (" + std::strerror(errno) +
                    "); choose a folder that can be written");
    if (platform::lock(file_.number())) return;
    const int code = errno;
    if (code == EWOULDBLOCK)
        throw Error(displayName(folder) +
                    ": another earshot is at work in this folder; wait for it, or choose another folder");
    throw Error(displayName(folder) + ": cannot be locked (" + std::strerror(code) +
                "); choose a folder on a file system that has locks");
}

} // namespace earshot::batch
